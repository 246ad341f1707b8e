import type { Messages } from "../merge";

export default {
  "problem.network": "The server does not answer. Is it running, and is the network up?",
  "problem.slow": "The answer took too long, the console has stopped waiting. The server or the network is very slow: try again.",
} satisfies Messages;
