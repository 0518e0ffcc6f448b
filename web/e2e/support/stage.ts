// A run on stage, as a reader finds their way in it.
import type { Locator, Page } from 'playwright-core';
import type { Server } from './server';

/** A line of the transcript as it is read. */
export interface Line {
  readonly number: number;
  readonly of: number;
  readonly time: string;
  readonly who: string;
  readonly text: string;
}

/** Seats by the page's English words; those of others stay as the log has them. */
const SEATS: Readonly<Record<string, string>> = { a11y: 'accessibility', measure: 'measurements', last_look: 'last look' };
export const seatName = (role: string): string => SEATS[role] ?? role;

export class Stage {
  private constructor(readonly page: Page) {}

  static async open(page: Page, server: Server, run: string): Promise<Stage> {
    // From elsewhere: to another hash of the same page would be no new page.
    await page.goto('about:blank');
    await page.goto(`${server.address}/#/runs/${run}`);
    const stage = new Stage(page);
    await stage.settled();
    return stage;
  }

  /** Once the second file is there and has been drawn. */
  async settled(): Promise<void> {
    await this.page.getByRole('region', { name: 'Replay' }).waitFor();
  }

  lane(role: string): Locator {
    const name = seatName(role);
    return this.page.locator('article.lane').filter({ has: this.page.getByRole('heading', { name, exact: true }) });
  }

  get badge(): Locator {
    return this.page.locator('.badge');
  }

  get score(): Locator {
    return this.page.locator('.score-now');
  }

  get round(): Locator {
    return this.page.locator('.divider');
  }

  /** Writes down from now on what the live region says. */
  async listen(): Promise<() => Promise<string[]>> {
    await this.page.evaluate(() => {
      const said: string[] = [];
      const region = document.querySelector('[role=status]');
      if (!region) throw new Error('no live region');
      new MutationObserver(() => said.push(region.textContent ?? '')).observe(region, { childList: true, characterData: true, subtree: true });
      Object.assign(window, { said });
    });
    return () => this.page.evaluate(() => ('said' in window && Array.isArray(window.said) ? window.said : []));
  }

  /** The whole transcript. Only the lines in sight are in the document, so it is read by scrolling. */
  async transcript(): Promise<Line[]> {
    const list = this.page.locator('ol.transcript');
    if (!(await list.isVisible())) await this.page.getByText('Transcript', { exact: true }).click();
    await list.waitFor();
    const lines = await list.evaluate(async (list) => {
      const painted = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const found: Line[] = [];
      for (let top = 0; ; top += list.clientHeight) {
        list.scrollTop = top;
        await painted();
        for (const item of list.querySelectorAll('li[aria-posinset]')) {
          const [time, who, text] = ['time', 'b', 'span'].map((part) => item.querySelector(part)?.textContent ?? '');
          const [number, of] = ['aria-posinset', 'aria-setsize'].map((name) => Number(item.getAttribute(name)));
          found.push({ number: number ?? 0, of: of ?? 0, time: time ?? '', who: who ?? '', text: text ?? '' });
        }
        if (top + list.clientHeight >= list.scrollHeight) return found;
      }
    });
    // Windows overlap; a line that is there twice with different words stays twice, and is noticed.
    const seen = new Set<string>();
    return lines.filter((line) => !seen.has(JSON.stringify(line)) && seen.add(JSON.stringify(line)));
  }
}
