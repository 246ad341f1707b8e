import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startLanguage } from "../i18n";
import { Drawer } from "./drawer";

/** Makes the screen so wide that the page stays in use beside the drawer, or not. */
function screenOf(wide: boolean): void {
  vi.spyOn(window, "matchMedia").mockImplementation((media) => Object.assign(new EventTarget(), {
    media, matches: wide, onchange: null, addListener: () => undefined, removeListener: () => undefined,
  }));
}

beforeAll(startLanguage);
afterEach(cleanup);

function show(onClose: () => void) {
  return render(<Drawer title="A card" sub="0000:01:00.0" actions={<button type="button">Copy it</button>} onClose={onClose}><p>told</p></Drawer>);
}

describe("beside the page", () => {
  beforeEach(() => { screenOf(true); });

  test("it is named by its title, and the page knows that it is there", () => {
    const { unmount } = show(() => undefined);
    expect(screen.getByRole("complementary", { name: "A card" }).textContent).toContain("told");
    expect(screen.getByRole("button", { name: "Copy it" })).toBeTruthy();
    expect(document.body.classList.contains("has-drawer")).toBe(true);
    unmount();
    expect(document.body.classList.contains("has-drawer")).toBe(false);
  });

  test("Esc and its button close it", () => {
    const close = vi.fn();
    show(close);
    fireEvent.keyDown(document.body, { key: "Escape" });
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(close).toHaveBeenCalledTimes(2);
  });

  test("other keys do not, nor Esc in a dialog over the page, nor one that was used already", () => {
    const close = vi.fn();
    const { unmount } = show(close);
    fireEvent.keyDown(document.body, { key: "Enter" });
    const dialog = document.body.appendChild(document.createElement("dialog"));
    dialog.setAttribute("open", "");
    fireEvent.keyDown(document.body, { key: "Escape" });
    dialog.remove();
    const used = new KeyboardEvent("keydown", { key: "Escape", cancelable: true });
    used.preventDefault();
    document.dispatchEvent(used);
    unmount();
    fireEvent.keyDown(document.body, { key: "Escape" });
    expect(close).not.toHaveBeenCalled();
  });
});

describe("over the page", () => {
  beforeEach(() => { screenOf(false); });

  test("it is a dialog that makes the page wait, and Esc asks to close it", () => {
    const shown = vi.spyOn(HTMLDialogElement.prototype, "showModal");
    const closed = vi.spyOn(HTMLDialogElement.prototype, "close");
    const close = vi.fn();
    const { unmount } = show(close);
    const dialog = screen.getByRole("dialog", { name: "A card" });
    expect(shown).toHaveBeenCalledTimes(1);
    const asked = new Event("cancel", { cancelable: true });
    fireEvent(dialog, asked);
    expect(close).toHaveBeenCalledTimes(1);
    // Whoever opened it takes it away, so that the address stays right.
    expect(asked.defaultPrevented).toBe(true);
    expect(closed).not.toHaveBeenCalled();
    unmount();
    expect(closed).toHaveBeenCalledTimes(1);
  });
});
