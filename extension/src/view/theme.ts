/**
 * Light or dark, by what is really behind the view. Hosts tell it in ways of their own (attributes,
 * classes, media queries), but all of them paint a background.
 */
import fillCss from './fill.css';
import graphCss from './graph.css';
import liveCss from './live/live.css';
import panelCss from './panel.css';
import stepsCss from './steps/steps.css';
import themeCss from './theme.css';
import valuesCss from './values/values.css';

const STYLE_ID = 'gradviz-style';

/** Puts the style sheet into the page once. */
export function installStyle(root: HTMLElement): void {
  const home = root.getRootNode();
  const place = home instanceof ShadowRoot ? home : document.head;
  const known = place.querySelector(`#${STYLE_ID}`);
  const text = themeCss + graphCss + panelCss + valuesCss + stepsCss + liveCss + fillCss;
  if (known) {
    // Another version of the bundle may have been there first; the last one mounted is the newest.
    if (known.textContent !== text) {
      known.textContent = text;
    }
    return;
  }
  const style = document.createElement('style');
  style.id = STYLE_ID;
  style.textContent = text;
  place.append(style);
}

/** Keeps `data-gradviz-theme` right; returns how to stop. */
export function followTheme(root: HTMLElement, changed: () => void = () => undefined): () => void {
  let waiting = 0;
  const look = (): void => {
    waiting = 0;
    const theme = isDark(root) ? 'dark' : 'light';
    if (root.dataset.gradvizTheme !== theme) {
      root.dataset.gradvizTheme = theme;
      changed();
    }
  };
  const later = (): void => {
    // Theme sheets arrive a little after the attribute that announces them.
    look();
    clearTimeout(waiting);
    waiting = window.setTimeout(look, 350);
  };
  look();
  const watcher = new MutationObserver(later);
  for (const element of [document.documentElement, document.body]) {
    watcher.observe(element, { attributes: true, attributeFilter: ['class', 'style', 'data-jp-theme-light', 'data-jp-theme-name', 'data-theme', 'data-vscode-theme-kind'] });
  }
  const media = matchMedia('(prefers-color-scheme: dark)');
  media.addEventListener('change', later);
  return () => {
    watcher.disconnect();
    media.removeEventListener('change', later);
    clearTimeout(waiting);
  };
}

function isDark(root: HTMLElement): boolean {
  const told = document.body.dataset.jpThemeLight;
  if (told !== undefined) {
    return told === 'false';
  }
  for (let element: HTMLElement | null = root.parentElement; element; element = element.parentElement) {
    const parts = /rgba?\(([\d.]+),\s*([\d.]+),\s*([\d.]+)(?:,\s*([\d.]+))?\)/.exec(getComputedStyle(element).backgroundColor);
    if (parts && Number(parts[4] ?? 1) > 0.5) {
      const [red, green, blue] = parts.slice(1, 4).map(Number) as [number, number, number];
      return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
    }
  }
  return false;
}
