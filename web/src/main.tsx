import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { startLanguage } from "./i18n";
import { queries, router } from "./router";
import "./styles/index.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no place for the console.");

await startLanguage();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
