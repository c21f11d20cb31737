# Runs crun where only the second version of control groups is visible, and prevents it from creating a control group. Arguments: those of
# crun.
set -e
umount --lazy --recursive /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 /sys/fs/cgroup
exec crun --cgroup-manager=disabled "$@"
