// Search in pages that are opened from the file system, where browsers start no worker: a hidden frame takes its place.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const started = new Promise((resolve) => {
        frame.onload = () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = address;
          script.onload = () => resolve(inside);
          inside.document.body.append(script);
        };
      });
      document.body.append(frame);
      this.postMessage = (data) =>
        started.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
