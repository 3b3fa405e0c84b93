/** A page is drawn when nothing has been asked for so long, and the last answer has been painted. */
const quietMs = 1500;

/** What a page has asked for and not got yet, and which of its queries failed. Streams (`/api/live`) never end and do not count. */
export class Requests {
  #open = new Set();
  #changed = () => {};

  /** How many queries of panels, variables and annotations Grafana answered with an error: 207 where one query of several fails. */
  failedQueries = 0;

  constructor(chromium, page) {
    chromium.on(page, (method, { requestId, request, response }) => {
      if (method === 'Network.responseReceived' && response.url.includes('/api/ds/query') && response.status !== 200) this.failedQueries++;
      if (method === 'Network.requestWillBeSent' && !request.url.includes('/api/live/')) this.#open.add(requestId);
      else if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed') this.#open.delete(requestId);
      else return;
      this.#changed();
    });
  }

  /** Resolves once nothing has been open for `quietMs`; fails when that takes longer than `givesUpMs`. */
  quiet(givesUpMs) {
    return new Promise((resolve, reject) => {
      let timer;
      const givesUp = setTimeout(() => {
        clearTimeout(timer);
        reject(new Error(`a page still waits for ${this.#open.size} answers after ${givesUpMs / 1000} s`));
      }, givesUpMs);
      this.#changed = () => {
        clearTimeout(timer);
        if (this.#open.size > 0) return;
        timer = setTimeout(() => {
          clearTimeout(givesUp);
          resolve();
        }, quietMs);
      };
      this.#changed();
    });
  }
}
