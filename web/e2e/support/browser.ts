// A browser for a file of tests, and pages of it that are signed in.
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import type { Server } from './server';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** No sandbox, since tests run as root in containers; the rest keeps the browser from calling home. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

/** A tab that was opened at the address the server printed, and what went wrong in it. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of scripts and complaints of the browser, such as a breach of the content security policy. */
  readonly complaints: string[];
}

export async function visit(browser: Browser, server: Server, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  await page.goto(server.url);
  await page.locator('header.top').waitFor();
  return { context, page, complaints };
}
