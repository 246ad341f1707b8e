import type { Messages } from "../merge";

export default {
  "signin.title": "Sign in",
  "signin.about": "Which VM holds which GPU, what would break if it started, and where else could it run?",
  "signin.name": "Name",
  "signin.password": "Password",
  "signin.go": "Sign in",
  "signin.with": "Sign in with {{name}}",
  "signin.setup": "First start? Open the one-time set-up link that the server printed.",
  "signin.demo": "This is a demo with a simulated cluster. Sign in at once as:",
  "setup.title": "First set-up",
  "setup.about": "Makes the first administrator of this server. The link works once.",
  "setup.go": "Make the administrator and sign in",
  "setup.no_token": "The address holds no set-up token. Open the link that the server printed, whole, with the part after #.",
} satisfies Messages;
