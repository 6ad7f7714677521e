// Browsers start no web worker from file://.  There, a hidden frame runs the worker's script instead, so that search
// works without a server.  Frame and page have the same origin and hand each other events directly.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        this.onmessage?.(event);
      };
      const script = frame.contentDocument.createElement("script");
      this.ready = new Promise((done, failed) => {
        script.onload = done;
        script.onerror = failed;
      });
      script.src = new URL(url, location.href).href;
      frame.contentDocument.body.append(script);
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }

    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
