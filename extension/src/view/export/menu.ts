/** The button that saves what is shown: as a picture, or as the graph's message. */
import { h, icon } from '../dom';

export interface Saved {
  readonly label: string;
  /** What stands beside it. */
  readonly note: string;
  readonly ending: string;
  make(): Promise<Blob> | Blob;
}

export interface MenuListener {
  /** Why there is no file. */
  failed(reason: string): void;
  /** The menu opens or closes. */
  menu(open: boolean): void;
}

/** `name` is that of the files. */
export function saveMenu(name: string, kinds: readonly Saved[], told: MenuListener): { button: HTMLButtonElement; menu: HTMLElement } {
  const items = kinds.map(({ label, note, ending, make }) =>
    h('button', {
      type: 'button', role: 'menuitem', tabindex: '-1', class: 'gradviz-menu-item',
      onclick: () => {
        close();
        button.focus();
        void Promise.resolve().then(make).then(blob => download(blob, `${name}.${ending}`))
          .catch((error: unknown) => told.failed(error instanceof Error ? error.message : String(error)));
      }
    }, h('strong', {}, label), h('span', { class: 'gradviz-muted' }, note)));
  const menu = h('div', { class: 'gradviz-menu', role: 'menu', 'aria-label': 'Save', hidden: true }, ...items);
  const button = h('button', {
    type: 'button', class: 'gradviz-icon-button gradviz-save', title: 'Save as a file', 'aria-label': 'Save as a file', 'aria-haspopup': 'menu',
    'aria-expanded': 'false', onclick: () => (menu.hidden ? open() : close())
  }, icon('save'));
  const outside = (event: Event): void => {
    if (!event.composedPath().some(part => part === menu || part === button)) {
      close();
    }
  };
  function open(): void {
    menu.hidden = false;
    // Beneath its button, which stands elsewhere in every width.
    menu.style.top = `${button.offsetTop + button.offsetHeight + 4}px`;
    button.setAttribute('aria-expanded', 'true');
    items[0]?.focus();
    document.addEventListener('pointerdown', outside, true);
    told.menu(true);
  }
  function close(): void {
    menu.hidden = true;
    button.setAttribute('aria-expanded', 'false');
    document.removeEventListener('pointerdown', outside, true);
    told.menu(false);
  }
  menu.addEventListener('keydown', event => {
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next !== undefined) {
      items[(next + items.length) % items.length]?.focus();
    } else if (event.key === 'Escape') {
      close();
      button.focus();
    } else if (event.key === 'Tab') {
      close();
      return;
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  return { button, menu };
}

/** A name that every file system takes. */
export function fileName(title: string): string {
  return title.normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'graph';
}

function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = h('a', { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
