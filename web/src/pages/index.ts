import { route as administrators } from "./administrators/route";
import { route as audit } from "./audit/route";
import { route as clusters } from "./clusters/route";
import { route as desktops } from "./desktops/route";
import { route as doctor } from "./doctor/route";
import { route as evacuate } from "./evacuate/route";
import { route as findings } from "./findings/route";
import { route as gpus } from "./gpus/route";
import { route as mappings } from "./mappings/route";
import { route as overview } from "./overview/route";
import { route as setup } from "./setup/route";
import { route as signIn } from "./sign-in/route";
import { route as tokens } from "./tokens/route";
import { detailRoute as vm, route as vms } from "./vms/route";

/** The pages of somebody who is signed in. Navigation and search show what is here. */
export const framePages = [overview, gpus, doctor, vms, vm, evacuate, findings, mappings, desktops, clusters, administrators, tokens, audit] as const;

/** The pages without a session. */
export const barePages = [signIn, setup] as const;
