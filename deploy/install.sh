#!/bin/sh
# Installs the release of this directory as a service: a user of its own, directories, a systemd unit. Run again from
# the directory of another release, it replaces the program and leaves settings and data alone.
set -eu
umask 022
here=$(dirname "$(readlink -f "$0")")
version=$(cat "$here/VERSION")
user=voltkeep
program=/opt/voltkeep
data=/var/lib/voltkeep
settings=/etc/voltkeep/voltkeep.env
unit=/etc/systemd/system/voltkeep.service

case "${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}" in
  '' | C* | POSIX* | zh*) say() { echo "$1"; } ;;
  *) say() { echo "$2"; } ;;
esac

if [ "$(id -u)" -ne 0 ]; then
  say "安装为系统服务需要 root：请执行 sudo ./install.sh。不安装也可直接运行 bin/voltkeep，数据在当前目录的 data 中。" \
    "A service is installed by root: sudo ./install.sh. Without being installed, bin/voltkeep runs as any user, with its data in ./data."
  exit 1
fi

if ! id "$user" >/dev/null 2>&1; then
  useradd --system --user-group --no-create-home --home-dir "$data" --shell /usr/sbin/nologin "$user"
fi
install -d -m 0755 "$program" /etc/voltkeep
install -d -m 0700 -o "$user" -g "$user" "$data"

# Under another name until it is whole: a copy that was cut short is no program.
if [ "$here" != "$program/$version" ]; then
  rm -rf "$program/$version.partial" "$program/$version.former"
  cp -R "$here" "$program/$version.partial"
  chown -R root:root "$program/$version.partial"
  if [ -d "$program/$version" ]; then mv "$program/$version" "$program/$version.former"; fi
  mv "$program/$version.partial" "$program/$version"
  rm -rf "$program/$version.former"
fi
ln -sfn "$version" "$program/current"

if [ ! -e "$settings" ]; then
  install -m 0640 -o root -g "$user" /dev/null "$settings"
  cat > "$settings" <<'SETTINGS'
# Settings of Voltkeep, see docs/operating.md. After a change: systemctl restart voltkeep
DATA_DIR=/var/lib/voltkeep
# The address under which browsers and devices reach this server.
#PUBLIC_URL=https://voltkeep.example.com
# Nightly backups, best on another disk.
#BACKUP_DIR=/mnt/backup
SETTINGS
fi
install -m 0644 "$here/voltkeep.service" "$unit"

if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl enable --quiet voltkeep
  systemctl restart voltkeep
  say "Voltkeep $version 已安装并启动。首次登录的密码见：journalctl -u voltkeep" \
    "Voltkeep $version is installed and running. The first password: journalctl -u voltkeep"
else
  say "Voltkeep $version 已安装。本机没有运行 systemd，请自行启动：见 $unit 中的 ExecStart。" \
    "Voltkeep $version is installed. systemd does not run here: start it by what $unit has as ExecStart."
fi
say "配置：$settings；数据：$data" "Settings: $settings. Data: $data"
