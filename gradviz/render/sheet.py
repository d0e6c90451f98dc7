"""The style sheet of exported pages: light or dark as the reader's system is.

The explorer brings its own; what is said of elements here is said of the still part alone.
"""

from __future__ import annotations

from typing import Final

from gradviz.render.theme import DARK, FONT, LIGHT, Palette


def _variables(colours: Palette) -> str:
    signals = {
        name: getattr(colours, name)
        for name in ("leaf", "flow", "none", "error", "warning", "note")
    }
    lines = [
        f"--bg:{colours.background};--soft:{colours.soft};--text:{colours.text};",
        f"--muted:{colours.muted};--border:{colours.border};--strong:{colours.border_strong};",
        *(f"--{name}:{tone.line};--{name}-fill:{tone.fill};" for name, tone in signals.items()),
    ]
    return "".join(lines)


SHEET: Final = f"""
:root {{ color-scheme: light dark; {_variables(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}
body {{ margin: 0 auto; padding: 28px clamp(14px, 4vw, 48px) 60px; max-width: 1240px;
  background: var(--bg); color: var(--text); font: 15px/1.5 {FONT}; }}
h1 {{ font-size: 22px; margin: 0 0 2px; overflow-wrap: anywhere; }}
.still h2 {{ font-size: 17px; margin: 34px 0 10px; }}
.still h3 {{ font-size: 15px; margin: 0; overflow-wrap: anywhere; }}
.still p {{ margin: 8px 0; max-width: 76ch; overflow-wrap: anywhere; }}
.still a {{ color: var(--flow); text-underline-offset: 2px; }}
.muted {{ color: var(--muted); }}
.still .counts {{ color: var(--muted); margin: 0 0 20px; }}
.still :is(code, pre) {{
  font: 13px/1.5 ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }}
.still pre {{ margin: 4px 0 12px; padding: 8px 12px; border: 1px solid var(--border);
  border-radius: 6px; background: var(--soft); overflow-x: auto; white-space: pre; }}
.still figure {{ margin: 0; padding: 4px; border: 1px solid var(--border); border-radius: 10px;
  overflow-x: auto; text-align: center; }}
.for-dark {{ display: none; }}
@media (prefers-color-scheme: dark) {{
  .for-dark {{ display: block; }} .for-light {{ display: none; }}
}}
@media print {{ .for-dark {{ display: none; }} .for-light {{ display: block; }} }}
.problem {{ margin: 0 0 14px; padding: 14px 18px; border: 1px solid var(--border);
  border-left: 4px solid var(--tone); border-radius: 8px; }}
.error {{ --tone: var(--error); }} .warning {{ --tone: var(--warning); }}
.note {{ --tone: var(--note); }}
.severity {{ color: var(--tone); font-weight: 600; }}
.place {{ margin-top: 10px; font-size: 13px; color: var(--muted); }}
.still .place + pre {{ border-left: 3px solid var(--tone); }}
.fix {{ margin-top: 12px; padding: 10px 14px; border: 1px solid var(--border);
  border-radius: 8px; }}
.fix b {{ padding: 0 8px; border-radius: 4px; background: var(--leaf); color: var(--bg);
  font-size: 12px; }}
.still .diff {{ padding: 6px 0; }}
.diff span {{ display: block; padding: 0 12px; min-height: 1.5em; }}
.added {{ background: var(--leaf-fill); }} .removed {{ background: var(--error-fill); }}
.scroll {{ overflow-x: auto; }}
.still table {{ border-collapse: collapse; width: 100%; font-size: 13.5px; }}
.still caption {{ text-align: left; color: var(--muted); padding-bottom: 6px; }}
.still :is(th, td) {{ padding: 5px 10px; border-bottom: 1px solid var(--border); text-align: left;
  vertical-align: top; overflow-wrap: break-word; max-width: 300px; }}
.still thead th {{ color: var(--muted); font-weight: 600; border-bottom-color: var(--strong);
  white-space: nowrap; }}
.still tbody th {{ font-weight: 600; }} .still th div {{ font-weight: 400; }}
.still tr:target {{ background: var(--flow-fill); }}
.still .facts td {{ border: 0; padding: 1px 14px 1px 0; }}
.still .facts {{ width: auto; margin: 8px 0; }}
.leaf {{ color: var(--leaf); }} .flow {{ color: var(--flow); }} .none {{ color: var(--none); }}
.bad {{ color: var(--error); }} .good {{ color: var(--leaf); }}
#gradviz-explorer {{ display: none; }}
@media not print {{
  .gradviz-running body {{ max-width: none; padding: 0; }}
  .gradviz-running #gradviz-explorer {{ display: block; height: 100vh; height: 100dvh;
    min-height: 460px; }}
  .gradviz-running .still {{ display: none; }}
  .gradviz-running h1 {{ position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); white-space: nowrap; }}
}}
"""
