import { useQuery } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";

export type Placement = Schemas["Placement"];
export type Evacuation = Schemas["Evacuation"];
export type Diagnosis = Schemas["Diagnosis"];

/** On which nodes a VM can start. Its key begins like that of the VM, so that both are read again together. */
export function usePlacement(cluster: string, vmid: number) {
  return useQuery({
    queryKey: ["vm", cluster, vmid, "placement"],
    queryFn: ({ signal }) => answer(client.GET("/api/v1/clusters/{cluster}/vms/{vmid}/placement", { params: { path: { cluster, vmid } }, signal })),
  });
}

/** The checks to make when a VM does not start. */
export function useVMDiagnosis(cluster: string, vmid: number) {
  return useQuery({
    queryKey: ["vm", cluster, vmid, "doctor"],
    queryFn: ({ signal }) => answer(client.GET("/api/v1/clusters/{cluster}/vms/{vmid}/doctor", { params: { path: { cluster, vmid } }, signal })),
  });
}

/** The same checks for a function, whoever names it. */
export function useDeviceDiagnosis(cluster: string, node: string, address: string) {
  return useQuery({
    queryKey: ["doctor", cluster, node, address],
    queryFn: ({ signal }) =>
      answer(client.GET("/api/v1/clusters/{cluster}/nodes/{node}/devices/{address}/doctor", { params: { path: { cluster, node, address } }, signal })),
  });
}

/** Which VMs cannot simply leave a node, and where each could go. */
export function useEvacuation(cluster: string, node: string) {
  return useQuery({
    queryKey: ["evacuation", cluster, node],
    queryFn: ({ signal }) => answer(client.GET("/api/v1/clusters/{cluster}/nodes/{node}/evacuation", { params: { path: { cluster, node } }, signal })),
  });
}
