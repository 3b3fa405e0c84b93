// A headless Chromium, told what to do over its DevTools pipe: JSON messages that end with a zero byte, on file descriptors 3 and 4.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const programs = ['chromium', 'chromium-browser', 'google-chrome'];
const answerMs = 60_000;

/** The first Chromium on PATH, or one that CHROMIUM names; undefined where there is none. */
export function findChromium({ PATH, CHROMIUM } = process.env, exists) {
  if (CHROMIUM) return CHROMIUM;
  return (PATH ?? '')
    .split(':')
    .flatMap((folder) => programs.map((program) => join(folder, program)))
    .find(exists);
}

export class Chromium {
  #process;
  #profile = mkdtempSync(join(tmpdir(), 'tocsin-chromium-'));
  #waiting = new Map();
  #listeners = new Set();
  #unread = '';
  #id = 0;
  #left;

  constructor(program) {
    this.#process = spawn(
      program,
      [
        '--headless=new',
        '--remote-debugging-pipe',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--hide-scrollbars',
        `--user-data-dir=${this.#profile}`,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    this.#left = new Promise((resolve) => this.#process.once('close', resolve));
    this.#process.once('error', (error) => this.#fail(error));
    this.#process.once('exit', (code) => this.#fail(new Error(`${program} has left with ${code}`)));
    this.#process.stdio[4].setEncoding('utf8').on('data', (text) => this.#read(text));
  }

  /** A new empty page: what to name as its `sessionId`. */
  async open() {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    return (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
  }

  /** Sends a command of the DevTools protocol and returns its result. */
  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`Chromium has not answered ${method} for ${answerMs / 1000} s`)), answerMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** Calls `listener` with every event of the page. */
  on(sessionId, listener) {
    this.#listeners.add((message) => message.sessionId === sessionId && listener(message.method, message.params));
  }

  async close() {
    this.#process.kill();
    await this.#left;
    rmSync(this.#profile, { recursive: true, force: true });
  }

  #read(text) {
    const messages = (this.#unread + text).split('\0');
    this.#unread = messages.pop();
    for (const message of messages.map((each) => JSON.parse(each))) {
      if (message.id === undefined) {
        for (const listener of this.#listeners) listener(message);
        continue;
      }
      const { resolve, reject, timer } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      clearTimeout(timer);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    }
  }

  #fail(error) {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}
