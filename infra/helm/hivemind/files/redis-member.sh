#!/bin/sh
# A member of the chart's Redis Cluster.
#
#   redis-member.sh run [OPTION...]   runs redis-server with these options, and hands over to a replica before it ends
#   redis-member.sh alive | ready     for probes
#   redis-member.sh wait              ends when the cluster can be used
#
# Pods change their addresses, and may lose their volumes. So each member introduces itself to those that it does not know by their
# present addresses; and the first member makes the cluster when there is none, gives every member without slots a primary, and has
# those forgotten that no member is any longer. All of it follows from what is seen at that moment, and may stop at any.
#
# MEMBERS: the host names of all; the first three are primaries at first. HOST, ADDRESS, NODE: name and address of this member, and the
# machine that it is on. REDISCLI_AUTH: the password. FILES: the folder of redis.conf; TLS: that of tls.crt, tls.key and ca.crt; DATA: that of the
# volume; SCRATCH: one for temporary files.
set -u
PORT=6379
PAUSE=2

# Sends a command: HOST COMMAND...
ask() {
  asked=$1
  shift
  timeout 3 redis-cli -e -h "$asked" -p "$PORT" --tls --cacert "$TLS/ca.crt" "$@" 2> /dev/null
}

# Whether a view of the cluster (CLUSTER NODES) has all members, each with slots or a primary, and all slots.
is_whole() {
  awk -v members="$(echo "$MEMBERS" | wc -w)" '
    { count++ }
    $3 ~ /fail|handshake|noaddr/ || ($3 !~ /slave/ && NF < 9) { broken = 1 }
    { for (i = 9; i <= NF; i++) if (split($i, range, "-") && $i !~ /^\[/) slots += (range[2] == "" ? range[1] : range[2]) - range[1] + 1 }
    END { exit broken || count != members || slots != 16384 }'
}

# Introduces this member to those that it does not know by their present addresses.
meet() {
  known=$(ask "$ADDRESS" CLUSTER NODES) || return 0
  for host in $MEMBERS; do
    address=$(ask "$host" CONFIG GET cluster-announce-ip | sed -n 2p)
    [ -n "$address" ] || continue
    case $known in
      *" $address:$PORT@"*) ;;
      *) ask "$ADDRESS" CLUSTER MEET "$address" "$PORT" > /dev/null && echo "Met $host at $address." ;;
    esac
  done
}

# Gives the first members all slots, as far as no member knows of anybody who has them.
make() {
  index=0
  for range in '0 5460' '5461 10922' '10923 16383'; do
    index=$((index + 1))
    first=${range% *}
    echo "$views" | awk -v slot="$first" '
      { for (i = 9; i <= NF; i++) if ($i !~ /^\[/) { split($i, range, "-"); if (range[1] <= slot && slot <= (range[2] == "" ? range[1] : range[2])) found = 1 } }
      END { exit found }' || continue
    host=$(echo "$MEMBERS" | tr -s ' ' '\n' | sed -n "${index}p")
    # shellcheck disable=SC2086 # two words
    ask "$host" CLUSTER ADDSLOTSRANGE $range > /dev/null && echo "Slots ${range% *} to ${range#* } are with $host."
  done
}

# Gives one member without slots the primary with the fewest replicas: if it can be one on another machine, and of those one that
# others who wait could not be given.
place() {
  choice=$(printf '%s--\n%s\n' "$members" "$view" | awk '
    $1 == "--" { listed = 1; next }
    !listed { host[$1] = $2; machine[$1] = $3; next }
    $3 ~ /fail|handshake|noaddr/ { next }
    $3 ~ /slave/ { replicas[$4]++; next }
    NF >= 9 { primary[$1] = 1; next }
    host[$1] != "" { if (idle == "") idle = $1; else waiting[machine[$1]]++ }
    END {
      if (idle == "") exit
      for (id in primary) {
        score = 100 * replicas[id] + 10 * (machine[id] == machine[idle]) - waiting[machine[id]]
        if (best == "" || score < least) { best = id; least = score }
      }
      if (best != "") print host[idle], best
    }')
  [ -n "$choice" ] || return 0
  ask "${choice% *}" CLUSTER REPLICATE "${choice#* }" > /dev/null && echo "${choice% *} is a replica of ${choice#* }."
}

# Has all members forget who has failed, has no slots, and is none of them.
forget() {
  owners=$(former 'NF >= 9')
  for id in $(former '$3 ~ /(^|,)(fail|noaddr)(,|$)/'); do
    case $owners in *"$id"*) continue ;; esac
    for host in $MEMBERS; do ask "$host" CLUSTER FORGET "$id" > /dev/null; done
    echo "$id is no member any longer."
  done
}

# The nodes that any member sees, which are no members, and of which a condition of awk holds.
former() {
  printf '%s--\n%s\n' "$members" "$views" | awk '
    $1 == "--" { listed = 1; next }
    !listed { isMember[$1] = 1; next }
    NF > 1 && !($1 in isMember) && !($1 in told) && '"$1"' { told[$1] = 1; print $1 }'
}

# What the first member does, when all others answer.
mend() {
  members='' views=''
  for host in $MEMBERS; do
    id=$(ask "$host" CLUSTER MYID) && seen=$(ask "$host" CLUSTER NODES) || return 0
    # The machine is found under a setting that nothing else uses.
    members="$members$id $host $(ask "$host" CONFIG GET syslog-ident | sed -n 2p)
"
    views="$views$seen
"
  done
  view=$(ask "$ADDRESS" CLUSTER NODES) || return 0
  make
  place
  forget
}

# Makes a replica the primary in the place of this member, so that nobody has to find out that it has ended.
hand_over() {
  [ "$(ask "$ADDRESS" ROLE | head -n 1)" = master ] || return 0
  replica=$(ask "$ADDRESS" CLUSTER REPLICAS "$(ask "$ADDRESS" CLUSTER MYID)" | awk '
    $3 !~ /fail|handshake|noaddr/ && $8 == "connected" { sub(/:[0-9]+@.*/, "", $2); print $2; exit }')
  [ -n "$replica" ] && ask "$replica" CLUSTER FAILOVER > /dev/null || return 0
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ "$(ask "$ADDRESS" ROLE | head -n 1)" = slave ] && echo "Handed over to $replica." && return 0
    sleep 0.5
  done
}

# Waits, without its volume, until the others see that what this member was has failed, and have replaced it: at its address, a replica
# of it would copy an empty server.
await_successor() {
  while [ -z "$ending" ]; do
    who=''
    for host in $MEMBERS; do
      [ "$host" = "$HOST" ] || ask "$host" CLUSTER NODES | awk -v host="$HOST" '
        { split($2, at, ",") }
        at[2] == host && ($3 !~ /(^|,)fail(,|$)/ || NF >= 9) { found = 1 }
        END { exit found }' || who=$host
    done
    [ -n "$who" ] || return 0
    echo "The volume is empty; waiting until $who sees a replica in the place of this member."
    sleep "$PAUSE" &
    wait $!
  done
}

run() {
  trap 'ending=1' TERM INT
  ending='' round=0
  [ -e "$DATA/nodes.conf" ] || await_successor
  [ -z "$ending" ] || return 0
  umask 077
  {
    cat "$FILES/redis.conf"
    printf '%s\n' "requirepass \"$REDISCLI_AUTH\"" "masterauth \"$REDISCLI_AUTH\"" \
      "tls-cert-file $TLS/tls.crt" "tls-key-file $TLS/tls.key" "tls-ca-cert-file $TLS/ca.crt" "tls-port $PORT" \
      "cluster-announce-ip $ADDRESS" "cluster-announce-hostname $HOST" "syslog-ident $NODE" "dir $DATA"
  } > "$SCRATCH/redis.conf"
  redis-server "$SCRATCH/redis.conf" "$@" &
  server=$!
  while [ -z "$ending" ] && kill -0 "$server" 2> /dev/null; do
    round=$((round + 1))
    ask "$ADDRESS" CLUSTER NODES | is_whole && whole=1 || whole=''
    [ -n "$whole" ] || meet
    # Others may see what the first member does not.
    if [ "$HOST" = "${MEMBERS%% *}" ] && { [ -z "$whole" ] || [ $((round % 15)) = 0 ]; }; then mend; fi
    sleep "$PAUSE" &
    wait $!
  done
  if [ -n "$ending" ]; then
    hand_over
    kill -TERM "$server"
  fi
  wait "$server"
}

# Whether this member answers for its part of a cluster that has all slots.
ready() {
  ask "$ADDRESS" CLUSTER INFO | grep -q cluster_state:ok || return 1
  ask "$ADDRESS" CLUSTER NODES | awk '$3 ~ /myself/ && ($3 ~ /slave/ || NF >= 9) { found = 1 } END { exit !found }' || return 1
  ask "$ADDRESS" INFO replication | grep -q -e '^role:master' -e '^master_link_status:up'
}

command=$1
shift
case $command in
  run) run "$@" ;;
  ready) ready ;;
  # One that loads its data, or stopped writing, is alive too: anything but silence.
  alive) timeout 3 redis-cli -h "$ADDRESS" -p "$PORT" --tls --cacert "$TLS/ca.crt" PING > /dev/null ;;
  wait)
    until ask "$HOST" CLUSTER INFO | grep -q cluster_state:ok; do
      echo "Waiting for the Redis Cluster at $HOST."
      sleep "$PAUSE"
    done
    ;;
  *)
    echo "redis-member.sh has no command '$command'." >&2
    exit 2
    ;;
esac
