from tests.ui.test_lab_explorer import *
from tests.ui.conftest import *
def test_dbg(lab):
    open_with(lab, "classifier()")
    canvas = lab.explorer(SHOW).locator(".gradviz-canvas")
    act="() => document.activeElement.outerHTML.slice(0,90)"
    canvas.focus(); print(lab.page.evaluate(act)); lab.page.wait_for_timeout(300); print(lab.page.evaluate(act))
    lab.page.evaluate("""()=>document.addEventListener('keydown',e=>console.log('KD',e.key,e.target.outerHTML.slice(0,60), !!e.target.closest('[data-lm-suppress-shortcuts]')),true)""")
    lab.page.on('console',lambda m:print('C',m.text) if 'KD' in m.text else None)
    for k in ['b','a','Escape','Escape']:
        canvas.press(k); lab.page.wait_for_timeout(200)
        print(k, lab.page.evaluate(act), lab.page.evaluate("() => window.gradvizTestPanel.content.model.cells.length"))
    canvas.focus(); print(lab.page.evaluate(act)); 
    lab.page.keyboard.press('a'); lab.page.wait_for_timeout(200)
    print(lab.page.evaluate(act), lab.page.evaluate("() => window.gradvizTestPanel.content.model.cells.length"))
