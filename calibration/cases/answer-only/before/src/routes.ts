import { type Route, route } from "./router.ts";
import * as pages from "./pages.ts";

// Routes need a session unless they say otherwise.
export const routes: Route[] = [
  route("GET", "/health", pages.health, { session: "none" }),
  route("POST", "/login", pages.login, { session: "none" }),
  route("GET", "/invoices", pages.invoices),
  route("GET", "/invoices/:id", pages.invoice),
  route("POST", "/webhooks/payments", pages.payment, { session: "none", body: "raw" }),
  route("POST", "/users", pages.addUser, { role: "admin" }),
];
