import type { Messages } from "../merge";

export default {
  "problem.network": "The server does not answer. Is it running, and is the network up?",
} satisfies Messages;
