# Makes a folder the root of new namespaces and starts its systemd as process 1. Argument: the folder.
set -e
root=$1
umount --lazy --recursive /sys/fs/cgroup 2>/dev/null || true
mount --rbind "$root" "$root"
cd "$root"
mkdir -p .old
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir -p dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=1777 tmpfs dev/shm
pivot_root . .old
cd /
umount --lazy /.old
exec env -i container=parley-check PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=multi-user.target
