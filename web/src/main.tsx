import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiError } from "./api/problem";
import { startLanguage } from "./i18n";
import { WordsProvider } from "./i18n/words";
import { queries, router } from "./router";
import "./styles/index.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no place for the console.");

await startLanguage();
createRoot(root, {
  // What the server refused or did not answer is told on the page, and no mistake of the console.
  onCaughtError: (error) => { if (!(error instanceof ApiError)) console.error(error); },
}).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <WordsProvider><RouterProvider router={router} /></WordsProvider>
    </QueryClientProvider>
  </StrictMode>,
);
