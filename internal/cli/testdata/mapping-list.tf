import {
  to = proxmox_hardware_mapping_pci.old-card
  id = "old-card"
}

resource "proxmox_hardware_mapping_pci" "old-card" {
  name = "old-card"
  comment = "Written before the card was swapped"
  map = [
    {
      id = "10de:1b06"
      node = "pve-a"
      path = "0000:02:00"
      iommu_group = 15
      subsystem_id = "1458:3752"
    },
  ]
}

import {
  to = proxmox_hardware_mapping_pci.p4-vgpu
  id = "p4-vgpu"
}

resource "proxmox_hardware_mapping_pci" "p4-vgpu" {
  name = "p4-vgpu"
  mediated_devices = true
  map = [
    {
      id = "10de:1bb3"
      node = "pve-b"
      path = "0000:0a:00.0"
      iommu_group = 21
      subsystem_id = "10de:11d8"
    },
  ]
}

import {
  to = proxmox_hardware_mapping_pci.rtx-3090
  id = "rtx-3090"
}

resource "proxmox_hardware_mapping_pci" "rtx-3090" {
  name = "rtx-3090"
  comment = "The two cards of the render farm"
  map = [
    {
      id = "10de:2204"
      node = "pve-a"
      path = "0000:01:00"
      iommu_group = 14
      subsystem_id = "1458:403b"
    },
    {
      id = "10de:2204"
      node = "pve-b"
      path = "0000:03:00"
      iommu_group = 14
      subsystem_id = "1458:403b"
    },
  ]
}

import {
  to = proxmox_hardware_mapping_pci.rtx-4090-pool
  id = "rtx-4090-pool"
}

resource "proxmox_hardware_mapping_pci" "rtx-4090-pool" {
  name = "rtx-4090-pool"
  comment = "Any card of this model"
  map = [
    {
      id = "10de:2684"
      node = "pve-a"
      path = "0000:03:00"
      iommu_group = 16
      subsystem_id = "1043:889d"
    },
    {
      id = "10de:2684"
      node = "pve-a"
      path = "0000:04:00"
      iommu_group = 17
      subsystem_id = "1043:889d"
    },
    {
      id = "10de:2684"
      node = "pve-b"
      path = "0000:81:00"
      iommu_group = 22
      subsystem_id = "1043:889d"
    },
  ]
}
