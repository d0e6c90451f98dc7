/** The script of an exported page: draws the message that stands in the page, beside answers about it. Nothing is loaded. */
import { readPayload } from '../check';
import { mount } from '../view/mount';
import { SavedWire } from './saved';

const RUNNING = 'gradviz-running';

function start(): void {
  const place = document.getElementById('gradviz-explorer');
  const message = document.getElementById('gradviz-message');
  if (!place || !message) {
    return;
  }
  // First of all, so that the view has its size when it is drawn.
  document.documentElement.classList.add(RUNNING);
  try {
    const answers = document.getElementById('gradviz-answers')?.textContent ?? '';
    mount(place, readPayload(JSON.parse(message.textContent ?? '')), { wire: new SavedWire(answers) });
  } catch (error) {
    // The still picture and the table below say the same.
    document.documentElement.classList.remove(RUNNING);
    place.replaceChildren();
    throw error;
  }
}

start();
