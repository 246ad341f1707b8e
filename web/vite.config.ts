import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// PCIATLAS is the address of a running server, for `npm run dev`.
const server = process.env["PCIATLAS"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  // The server replaces this with the nonce of each answer.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    outDir: "static/app",
    emptyOutDir: true,
    target: "es2022",
    // A file that is put into another one as a data: address would not be cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: ".vite/manifest.json",
  },
  server: { proxy: { "/api": server, "/docs": server, "/auth": server } },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
  },
});
