declare module '*.css' {
  const text: string;
  export default text;
}

/** A script bundled on its own, as text: what a worker runs. */
declare module '*?worker' {
  const text: string;
  export default text;
}
