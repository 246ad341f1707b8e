# The devices of pve-b, pve-c, pve-d were not all read; there may be more for this mapping.
pvesh create /cluster/mapping/pci --id instinct-mi300x \
  --map 'id=1002:74a1,iommugroup=20,node=pve-a,path=0000:07:00.0,subsystem-id=1002:74a1'
# The devices of pve-b, pve-c, pve-d were not all read; there may be more for this mapping.
pvesh create /cluster/mapping/pci --id uhd-graphics-770-vf \
  --map 'id=8086:a780,iommugroup=11,node=pve-a,path=0000:00:02.1,subsystem-id=1043:8882' \
  --map 'id=8086:a780,iommugroup=12,node=pve-a,path=0000:00:02.2,subsystem-id=1043:8882' \
  --map 'id=8086:a780,iommugroup=13,node=pve-a,path=0000:00:02.3,subsystem-id=1043:8882'
