"""Devices and the tables of functions built for them."""
