// What a file of tests stands on: one browser, and projects, servers and tabs that are gone after each test.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launch, visit } from './browser';
import { Project } from './project';
import { Server } from './server';

export interface House {
  project(name?: string): Project;
  /** A server of a project; one that was killed is started again by naming its port. */
  serve(project: Project, port?: number, ...more: string[]): Promise<Server>;
  /** A tab at the address that the server printed. What the browser complains of fails the test, unless it `may`. */
  visit(server: Server, options?: VisitOptions): Promise<Page>;
}

export interface VisitOptions extends BrowserContextOptions {
  readonly may?: RegExp;
}

/** Everything is gone after each test, or, where many tests look at the same runs, after the file. */
export function house(until: 'test' | 'file' = 'test'): House {
  let browser: Browser;
  const leftovers: (() => Promise<void> | void)[] = [];
  const tabs = new Set<Page>();
  beforeAll(async () => {
    browser = await launch();
  });
  const tidy = async (): Promise<void> => {
    // Tabs before servers before folders: the last that came goes first.
    while (leftovers.length > 0) await leftovers.pop()?.();
  };
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') for (const page of tabs) await show(page, `failed ${task.name}`);
    if (until === 'test') await tidy();
  });
  afterAll(async () => {
    await tidy();
    await browser.close();
  });

  return {
    project(name) {
      const project = new Project(name);
      leftovers.push(() => project.remove());
      return project;
    },
    async serve(project, port, ...more) {
      const server = await Server.start(project, port, ...more);
      leftovers.push(() => server.stop());
      return server;
    },
    async visit(server, { may, ...options } = {}) {
      const { context, page, complaints } = await visit(browser, server, options);
      tabs.add(page);
      leftovers.push(async () => {
        tabs.delete(page);
        await context.close();
        expect(complaints.filter((complaint) => !may?.test(complaint))).toEqual([]);
      });
      return page;
    },
  };
}

async function show(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(import.meta.dirname, '../shots', `${name}.png`), fullPage: true });
}
