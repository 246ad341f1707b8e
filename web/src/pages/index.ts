import { route as gpus } from "./gpus/route";
import { route as overview } from "./overview/route";
import { route as setup } from "./setup/route";
import { route as signIn } from "./sign-in/route";

/** The pages of somebody who is signed in. Navigation and search show what is here. */
export const framePages = [overview, gpus] as const;

/** The pages without a session. */
export const barePages = [signIn, setup] as const;
