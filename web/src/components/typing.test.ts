// @vitest-environment happy-dom
import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { useTyping } from "./typing";

const write = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  write.mockReset();
  return () => { vi.useRealTimers(); };
});

function start(value = "") {
  const { result, rerender } = renderHook((props: { value: string }) => useTyping(props.value, write), { initialProps: { value } });
  return {
    text: () => result.current[0],
    type: (text: string) => { act(() => { result.current[1](text); }); },
    address: (text: string) => { rerender({ value: text }); },
  };
}

test("each key counts at once, and the address is written once when the typing rests", () => {
  const search = start();
  for (const text of ["3", "30", "309 "]) search.type(text);
  expect(search.text()).toBe("309 ");
  expect(write).not.toHaveBeenCalled();
  act(() => { vi.advanceTimersByTime(1000); });
  expect(write.mock.calls).toEqual([["309"]]);
});

test("what is typed while the address is written stays", () => {
  const search = start();
  search.type("30");
  act(() => { vi.advanceTimersByTime(1000); });
  search.type("309");
  search.address("30");
  expect(search.text()).toBe("309");
});

test("an address from elsewhere is taken over", () => {
  const search = start("3090");
  search.address("");
  expect(search.text()).toBe("");
  search.address("p4");
  expect(search.text()).toBe("p4");
});
