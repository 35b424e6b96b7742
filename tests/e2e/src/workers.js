// Wraps Worker; see other.rs.
(() => {
  const Real = window.Worker;
  const all = [];
  const mute = new WeakSet();
  window.Worker = class extends Real {
    constructor(...args) {
      super(...args);
      // The first listener: it can keep an event from those that the page adds.
      this.addEventListener("message", (event) => mute.has(this) && event.stopImmediatePropagation());
      all.push(this);
    }
    postMessage(...args) {
      if (!mute.has(this)) super.postMessage(...args);
    }
  };
  const last = () => all[all.length - 1];
  window.workers = {
    all,
    fail() {
      const worker = last();
      worker.terminate();
      worker.dispatchEvent(new ErrorEvent("error", { message: "Uncaught RuntimeError: unreachable" }));
    },
    silence() {
      mute.add(last());
    },
    sibling(body) {
      const text = `(async () => { ${body} })().then(postMessage, (error) => postMessage(String(error)))`;
      const worker = new Real(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
      return new Promise((resolve, reject) => {
        worker.onmessage = (event) => { worker.terminate(); resolve(event.data); };
        worker.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
      });
    },
  };
})();
