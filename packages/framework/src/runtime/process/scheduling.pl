# Sets the scheduling policy of threads, and the time for which one may run before another that wakes up takes its place.
# Arguments: number of the system call sched_setattr, policy, time in nanoseconds (0: the system's), threads. Perl is used because it can make
# system calls without compiled code.
use strict;

my ($number, $policy, $slice, @threads) = map { $_ + 0 } @ARGV;
my $NORMAL = 0;
# struct sched_attr: size, policy, flags, nice value, priority, runtime, deadline, period. The nice value stays.
sub change { my ($thread, $to) = @_; syscall($number, $thread, pack("LLQlLQQQ", 48, $to, 0, getpriority(0, $thread), 0, $slice, 0, 0), 0) }

for my $thread (@threads) {
  # The time belongs to the normal policy, and stays when another one follows.
  change($thread, $NORMAL);
  change($thread, $policy) if $policy != $NORMAL;
}
