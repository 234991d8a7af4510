// Search runs in a worker, and browsers start none for a page that was opened as a file: there a hidden frame does its work.
if (location.protocol === "file:") {
    window.Worker = class extends EventTarget {
        constructor(address) {
            super();
            const waiting = [], frame = document.createElement("iframe");
            this.postMessage = (data) => waiting.push(data);
            frame.hidden = true;
            frame.onload = () => {
                const inside = frame.contentWindow, script = inside.document.createElement("script");
                inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
                script.src = new URL(address, location.href);
                script.onload = () => {
                    this.postMessage = (data) => setTimeout(() => inside.dispatchEvent(new MessageEvent("message", {data})));
                    waiting.forEach(this.postMessage);
                };
                inside.document.body.append(script);
            };
            frame.srcdoc = "<!doctype html>";
            document.documentElement.append(frame);
        }
    };
}
