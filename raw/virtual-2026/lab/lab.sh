#!/bin/bash
# A storage server, bare or virtual, behind one shaped link, and its clients; all in network namespaces.
#   lab.sh up | begin MODE NET DISK | fresh N | stored N | listen | disk | reach HOST COMMAND
#   lab.sh start MODE NET DISK | drop | server COMMAND... | client N COMMAND... | status | stop | down
# study.yaml's plan calls it: begin and stop around a block, fresh, stored, listen and disk before a run, reach for ssh.
# MODE bare-metal, virtual; NET virtio, emulated (e1000); DISK virtio, ide (PIIX). bare-metal: NET and DISK are not read.
# Directories: LAB (scratch: state, data image), GUEST (what make-guest.sh made). Both must be given.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${LAB:?scratch directory}" "${GUEST:?directory of make-guest.sh}"
: "${LINK_MBIT:=1000}" "${CLIENTS:=4}" "${FILE:=64m}" "${ACCEL:=tcg}" "${MEMORY:=1024}" "${SERVER_CPU:=0}" "${BOOT_S:=900}"
LAB=$(readlink -f "$LAB") GUEST=$(readlink -f "$GUEST")
address=10.77.0
mkdir -p "$LAB/run"

namespaces() { echo vs-switch vs-port vs-bare; seq -f 'vs-cli%g' "$CLIENTS"; }

shape() {   # NAMESPACE DEVICE: what leaves by DEVICE
    tc -n "$1" qdisc replace dev "$2" root tbf rate "${LINK_MBIT}mbit" burst 128kb latency 100ms
}

plug() {   # BRIDGE_NAMESPACE PORT NAMESPACE DEVICE: a cable from a bridge's port to a host's device
    ip link add dev "$2" netns "$1" type veth peer name "$4" netns "$3"
    ip -n "$1" link set "$2" master bridge up
    ip -n "$3" link set "$4" up
}

up() {   # clients - switch === shaped link === port - {bare server, virtual server's tap}
    [ -e "$LAB/run/up" ] && [ -e /run/netns/vs-switch ] && return
    local name number
    down
    for name in $(namespaces); do ip netns add "$name"; ip -n "$name" link set lo up; done
    for name in vs-switch vs-port; do ip -n $name link add bridge type bridge; ip -n $name link set bridge up; done
    plug vs-switch uplink vs-port uplink
    ip -n vs-port link set uplink master bridge
    shape vs-switch uplink
    shape vs-port uplink
    plug vs-port bare vs-bare eth0
    ip -n vs-port tuntap add dev tap mode tap
    ip -n vs-port link set tap master bridge up
    for number in $(seq "$CLIENTS"); do
        plug vs-switch "cli$number" "vs-cli$number" eth0
        ip -n "vs-cli$number" address add "$address.$((10 + number))/24" dev eth0
    done
    touch "$LAB/run/up"
}

start_bare() {   # the image on a loop device with direct I/O; one processor, as the guest has
    local loop
    loop=$(losetup --find --show --direct-io=on "$LAB/data.img")
    echo "$loop" > "$LAB/run/loop"
    mkfs.xfs -q -f -K "$loop"
    mkdir -p "$LAB/data"
    sed "s#/data/brick#$LAB/data/brick#" "$here/volumes/server.vol" > "$LAB/run/server.vol"
    ip -n vs-bare address replace "$address.1/24" dev eth0
    ip netns exec vs-bare sh -c "mount $loop $LAB/data && mkdir -p $LAB/data/brick && exec taskset -c $SERVER_CPU \
        glusterfsd -N -f $LAB/run/server.vol -l $LAB/run/server.log" > "$LAB/run/server.out" 2>&1 &
    echo $! > "$LAB/run/server.pid"
}

start_virtual() {   # NET DISK
    local card disk name
    case $1 in virtio) card=virtio-net-pci ;; emulated) card=e1000 ;; *) echo "NET $1: virtio, emulated" >&2; exit 2 ;; esac
    case $2 in
        virtio) disk=virtio-blk-pci,drive=data name=/dev/vdb ;;
        ide) disk=ide-hd,drive=data,bus=ide.0 name=/dev/sda ;;
        *) echo "DISK $2: virtio, ide" >&2; exit 2 ;;
    esac
    ip -n vs-bare address flush dev eth0
    rm -f "$LAB/run/console"
    ip netns exec vs-port qemu-system-x86_64 -accel "$ACCEL" -cpu qemu64 -smp 1 -m "$MEMORY" -machine pc,memory-backend=ram \
        -object "memory-backend-ram,id=ram,size=${MEMORY}M,prealloc=on" \
        -display none -nodefaults -no-reboot -kernel "$GUEST/vmlinux" -initrd "$GUEST/initramfs.cpio" \
        -append "console=ttyS0 quiet panic=-1 mitigations=off audit=0 lab.address=$address.1/24 lab.disk=$name" \
        -serial "file:$LAB/run/console" -serial "unix:$LAB/run/shell,server=on,wait=off" \
        -drive "if=none,id=root,file=$GUEST/root.img,format=raw,readonly=on" -device virtio-blk-pci,drive=root \
        -drive "if=none,id=data,file=$LAB/data.img,format=raw,cache=none,aio=threads" -device "$disk" \
        -netdev tap,id=net,ifname=tap,script=no,downscript=no -device "$card,netdev=net" \
        > "$LAB/run/server.out" 2>&1 &
    echo $! > "$LAB/run/server.pid"
    await "$BOOT_S" grep -q LAB-READY "$LAB/run/console"
}

await() {   # SECONDS COMMAND...: until COMMAND succeeds, or the server has died
    local end=$((SECONDS + $1))
    shift
    until "$@" 2> /dev/null; do
        if [ $SECONDS -ge $end ] || ! alive server; then echo "waited in vain for: $*" >&2; exit 1; fi
        sleep 0.5
    done
}

alive() { [ -e "$LAB/run/$1.pid" ] && kill -0 "$(cat "$LAB/run/$1.pid")" 2> /dev/null; }

start() {   # MODE NET DISK
    alive server && { echo "a server is running: stop it first" >&2; exit 1; }
    up
    local before=$SECONDS
    dd if=/dev/zero of="$LAB/data.img" bs=4M count=256 oflag=direct status=none   # whole: no allocation while measuring
    echo "$1" > "$LAB/run/mode"
    case $1 in
        bare-metal) start_bare ;;
        virtual) start_virtual "$2" "$3" ;;
        *) echo "MODE $1: bare-metal, virtual" >&2; exit 2 ;;
    esac
    for number in $(seq "$CLIENTS"); do mount_client "$number"; done
    for number in $(seq "$CLIENTS"); do await 300 client "$number" mountpoint -q .; done
    echo "$1 ${2:-none} ${3:-none} ready after $((SECONDS - before)) s"
}

mount_client() {   # N: a FUSE mount without a page cache, seen only in its own mount namespace
    mkdir -p "$LAB/cli$1"
    ip -n "vs-cli$1" neigh flush all   # the last server had another hardware address
    ip netns exec "vs-cli$1" glusterfs -N -f "$here/volumes/client.vol" --direct-io-mode=enable \
        -l "$LAB/run/cli$1.log" "$LAB/cli$1" > "$LAB/run/cli$1.out" 2>&1 &
    echo $! > "$LAB/run/cli$1.pid"
}

client() {   # N COMMAND...: in the client's namespaces, in its mount
    local pid
    pid=$(cat "$LAB/run/cli$1.pid")
    nsenter -t "$pid" -m -n sh -c 'cd "$0" && exec "$@"' "$LAB/cli$1" "${@:2}"
}

server() {   # COMMAND: where the server runs, in its file system
    case $(cat "$LAB/run/mode") in
        bare-metal) nsenter -t "$(cat "$LAB/run/server.pid")" -m -n taskset -c "$SERVER_CPU" sh -c "cd $LAB/data; $*" ;;
        virtual) python3 "$here/guest.py" "$LAB/run/shell" "cd /data; $*" ;;
    esac
}

drop() {   # the caches of the server, and of the host under it
    [ "$(cat "$LAB/run/mode")" = virtual ] && server 'sync; echo 3 > /proc/sys/vm/drop_caches'
    sync
    echo 3 > /proc/sys/vm/drop_caches
}

begin() {   # MODE NET DISK: a new server that has been used once: an emulator translates code when it first runs
    stop
    start "$@"
    fresh "$CLIENTS"
    each "$CLIENTS" iozone -t 1 -s "$FILE" -r 1m -i 0 -i 1 -e -c -w -F
    drop
}

each() {   # N COMMAND...: in each of N clients at once, with the name of the client's file behind it; fails if one fails
    local number pids=() failed=0
    for number in $(seq "$1"); do
        client "$number" "${@:2}" "cli$number.ioz" > /dev/null &
        pids+=($!)
    done
    for number in $(seq "$1"); do
        wait "${pids[number - 1]}" || { failed=$?; echo "client $number: ${*:2} ended with exit status $failed" >&2; }
    done
    return "$failed"
}

fresh() {   # N: none of N clients has its file, and nothing is cached or dirty
    each "$1" rm -f
    drop
}

stored() {   # N: each of N clients has its whole file on the server's disk, and nothing of it is cached
    each "$1" sh -c "[ \"\$(stat -c %s \"\$0\" 2> /dev/null)\" = $((${FILE%m} << 20)) ] ||
        iozone -t 1 -s $FILE -r 1m -i 0 -e -c -w -F \"\$0\" > /dev/null"
    drop
}

listen() {   # the server waits for one iperf3
    server 'timeout 60 iperf3 --server --one-off > /dev/null 2>&1 & sleep 3'
}

disk() {   # disk.fio is whole on the server's disk, and nothing is cached
    server 'rm -f disk.fio; dd if=/dev/zero of=disk.fio bs=1M count=256 conv=fsync status=none'
    drop
}

reach() {   # HOST COMMAND: what ssh would do
    client "${1#cli}" sh -c "$2"
}

status() {
    local file
    for file in "$LAB"/run/*.pid; do
        [ -e "$file" ] && echo "$(basename "$file" .pid) $(cat "$file") $(alive "$(basename "$file" .pid)" && echo alive || echo gone)"
    done
    ip netns list | grep '^vs-' || true
}

end() {   # NAME: only a process that this lab started, by its number and its program
    local pid file="$LAB/run/$1.pid"
    [ -e "$file" ] || return 0
    pid=$(cat "$file")
    if grep -qE '^(qemu-system|gluster)' "/proc/$pid/comm" 2> /dev/null; then
        kill "$pid" 2> /dev/null || true
        for _ in $(seq 40); do kill -0 "$pid" 2> /dev/null || break; sleep 0.25; done
        kill -9 "$pid" 2> /dev/null || true
    fi
    rm -f "$file"
}

stop() {
    local file
    for file in "$LAB"/run/cli*.pid; do [ -e "$file" ] && end "$(basename "$file" .pid)"; done
    end server
    if [ -e "$LAB/run/loop" ]; then
        for _ in $(seq 20); do losetup -d "$(cat "$LAB/run/loop")" 2> /dev/null && break; sleep 0.25; done
        rm -f "$LAB/run/loop"
    fi
    rm -f "$LAB/data.img"
}

down() {
    stop
    rm -f "$LAB/run/up"
    for name in $(namespaces); do [ ! -e "/run/netns/$name" ] || ip netns delete "$name"; done
}

"$@"
