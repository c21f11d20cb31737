# Sets the scheduling policy of threads, and the time for which one may run before another that wakes up takes its place.
# Argument: number of the system call sched_setattr. Input, a line for each change: policy, time in nanoseconds (0: the system's), threads.
# Ends with its input. Perl is used because it can make system calls without compiled code.
use strict;

my $NORMAL = 0;
my $number = $ARGV[0] + 0;
# struct sched_attr: size, policy, flags, nice value, priority, runtime, deadline, period. The nice value stays.
sub change {
  my ($thread, $policy, $slice) = @_;
  syscall($number, $thread, pack("LLQlLQQQ", 48, $policy, 0, getpriority(0, $thread), 0, $slice, 0, 0), 0);
}

while (my $line = <STDIN>) {
  my ($policy, $slice, @threads) = map { $_ + 0 } split(" ", $line);
  for my $thread (@threads) {
    # The time belongs to the normal policy, and stays when another policy follows.
    change($thread, $NORMAL, $slice);
    change($thread, $policy, $slice) if $policy != $NORMAL;
  }
}
