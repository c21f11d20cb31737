# Starts a program under the restrictions of a plan, and kills it when descriptor 3 (the lifeline) closes.
# The plan comes from confine-plan.ts: steps separated by \x1e, with fields separated by \x1f, executed in order. Perl is used because it
# can make system calls without compiled code and needs no file of the old root once it runs.
use strict;

my ($plan, @command) = @ARGV;
my (%nr, @bound, %ruleset);
# Read before a step creates a user namespace, in which the user is unmapped and reads as the overflow user.
my ($uid, $gid) = ($<, $( + 0);

sub fail { print STDERR "confine: $_[0]: $!\n"; exit 125 }
sub call { my ($name, @arguments) = @_; my $result = syscall($nr{$name}, @arguments); fail($name) if $result == -1; return $result }
sub put {
  my ($file, $text) = @_;
  open(my $out, ">", $file) or fail($file);
  print($out $text) && close($out) or fail($file);
}
sub parents { my ($path) = @_; while ($path =~ m{(?<=.)/}g) { mkdir(substr($path, 0, pos($path) - 1), 0755) } }

# The parent waits until the lifeline closes or the child ends. The child continues with the plan.
sub watch {
  # Opened before the fork: the child changes the root of both processes, and a parent that then opened /dev/null for writing would create
  # a file in the new root, which could not become read-only any more.
  open(my $null_in, "<", "/dev/null") && open(my $null_out, ">", "/dev/null") or fail("/dev/null");
  my $child = fork();
  fail("fork") unless defined $child;
  open(my $lifeline, "<&=", 3) or fail("lifeline");
  if ($child == 0) { close($lifeline); return }
  open(STDIN, "<&", $null_in); open(STDOUT, ">&", $null_out); open(STDERR, ">&", $null_out);
  if (open(my $channel, "<&=", 4)) { close($channel) }
  # A signal that arrives just before select starts would not interrupt it; the handler's write to the pipe does.
  pipe(my $end_of_child, my $signal) or fail("pipe");
  $SIG{CHLD} = sub { syswrite($signal, "!") };
  my ($ended, $status) = waitpid($child, 1) == $child ? (1, $?) : (0, 0);
  until ($ended) {
    vec(my $ready = "", 3, 1) = 1;
    vec($ready, fileno($end_of_child), 1) = 1;
    next if select($ready, undef, undef, undef) <= 0;
    my $is_over = vec($ready, 3, 1);
    kill(9, $child) if $is_over;
    sysread($end_of_child, my $read, 64) if vec($ready, fileno($end_of_child), 1);
    ($ended, $status) = (1, $?) if waitpid($child, $is_over ? 0 : 1) == $child;
  }
  exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
}

my %steps = (
  syscalls => sub { %nr = map { split /=/ } @_ },
  unshare => sub { call("unshare", $_[0] + 0) },
  # Maps the user to itself. A new namespace grants all capabilities, which the start of the program drops.
  identity => sub {
    put("/proc/self/setgroups", "deny");
    put("/proc/self/uid_map", "$uid $uid 1");
    put("/proc/self/gid_map", "$gid $gid 1");
  },
  hostname => sub { call("sethostname", $_[0], length($_[0])) },
  watch => \&watch,
  # Creates an empty root. The old root stays below /old until `seal`. MS_REC|MS_PRIVATE hides the mounts from other namespaces.
  root => sub {
    my ($at) = @_;
    call("mount", "none", "/", "", 0x44000, 0);
    call("mount", "tmpfs", $at, "tmpfs", 0x6, "size=4m,mode=755");
    chdir($at) or fail($at);
    mkdir("old", 0700) or fail("old");
    call("pivot_root", ".", "old");
    chdir("/") or fail("/");
  },
  # MS_BIND|MS_REC; then, for the whole tree, MOUNT_ATTR_NOSUID and, where the path may not be written, MOUNT_ATTR_RDONLY.
  bind => sub {
    my ($mode, $source, $target) = @_;
    parents($target);
    if (-d "/old$source") { mkdir($target, 0755) } else { open(my $file, ">>", $target) or fail($target) }
    call("mount", "/old$source", $target, "", 0x5000, 0);
    my $attributes = pack("Q4", $mode eq "ro" ? 0x3 : 0x2, 0, 0, 0);
    call("mount_setattr", -100, $target, 0x8000, $attributes, length($attributes));
  },
  # MNT_DETACH; MS_REMOUNT|MS_BIND|MS_RDONLY|MS_NOSUID|MS_NODEV
  seal => sub {
    call("umount2", "/old", 2);
    rmdir("/old");
    call("mount", "none", "/", "", 0x1027, 0);
  },
  limit => sub { my $limit = pack("Q2", $_[1] + 0, $_[1] + 0); call("prlimit64", 0, $_[0] + 0, $limit, 0) },
  user => sub {
    call("setgroups", 0, 0);
    call("setresgid", $_[1] + 0, $_[1] + 0, $_[1] + 0);
    call("setresuid", $_[0] + 0, $_[0] + 0, $_[0] + 0);
  },
  # PR_CAPBSET_DROP for every capability, so that a program started by root gains none.
  unprivileged => sub { for my $capability (0 .. 63) { syscall($nr{prctl}, 24, $capability, 0, 0, 0) } },
  # PR_SET_PDEATHSIG: SIGKILL
  mortal => sub { call("prctl", 1, 9, 0, 0, 0) },
  # PR_SET_NO_NEW_PRIVS
  nonewprivs => sub { call("prctl", 38, 1, 0, 0, 0) },
  # Each version of Landlock adds rights. A right that the kernel does not know may not be requested.
  landlock => sub {
    my $version = call("landlock_create_ruleset", 0, 0, 1);
    my $known = (1 << ($version >= 5 ? 16 : $version >= 3 ? 15 : $version >= 2 ? 14 : 13)) - 1;
    my $network = $_[0] eq "network" || $version < 4 ? 0 : 3;
    my $attributes = pack("Q3", $known, $network, $version >= 6 ? 3 : 0);
    my $length = $version >= 6 ? 24 : $version >= 4 ? 16 : 8;
    %ruleset = (fd => call("landlock_create_ruleset", $attributes, $length, 0), known => $known);
  },
  # Rights of a file: execute and read, if writable also write and truncate. Rights of a folder: also list, or only list. Opened with O_PATH.
  allow => sub {
    my ($mode, $path) = @_;
    sysopen(my $file, $path, 0x200000) or fail($path);
    my $rights = $mode eq "list" ? 8 : $mode eq "ro" ? (-d $path ? 13 : 5) : -d $path ? $ruleset{known} : 0x4007 & $ruleset{known};
    my $attributes = pack("Ql", $rights, fileno($file));
    call("landlock_add_rule", $ruleset{fd}, 1, $attributes, 0);
  },
  enforce => sub { call("landlock_restrict_self", $ruleset{fd}, 0) },
  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
  seccomp => sub {
    my $filter = pack("H*", $_[0]);
    my $program = pack("Sx![P]P", length($filter) / 8, $filter);
    call("prctl", 22, 2, $program, 0, 0);
  },
  chdir => sub { chdir($_[0]) or fail($_[0]) },
  environment => sub { %ENV = map { split /=/, $_, 2 } @_ },
);
for (split /\x1e/, $plan) {
  my ($name, @fields) = split /\x1f/;
  $steps{$name}->(@fields);
}
exec { $command[0] } @command or fail($command[0]);
