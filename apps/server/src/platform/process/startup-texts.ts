// What a start says to the person at the terminal, in the language of the machine (decision 38).
import { language } from '../../../../../scripts/language.mjs'

/** The installation that a start has opened. */
interface Opened {
  id: string
  deviceCount: number
  lastWrittenAt: Date | null
}

/** A local time, as the console shows it. */
const shown = (at: Date) => at.toLocaleString('sv-SE')

const zh = {
  // The start
  failed: (why: string) => `启动失败：${why}`,
  badArguments: (given: string) =>
    `启动参数 ${given} 无效：可用的参数有 --reset-admin（重置管理员密码）、--backup 文件（备份）、--verify-backup 文件（检查备份）、--restore 文件（恢复）、--diagnose（写诊断文件）、--version（版本）。`,
  portTaken: (port: number | undefined, setting: string) =>
    `端口 ${port} 已被占用：请停止占用它的程序，或用 ${setting} 指定另一个端口。`,
  portForbidden: (port: number | undefined, setting: string) =>
    `没有权限监听端口 ${port}：请用 ${setting} 指定 1024 以上的端口。`,
  noSuchAddress: (place: string, setting: string) => `本机没有地址 ${place}：请检查 ${setting}。`,
  started: (roles: string[]) => `Voltkeep 已启动（${roles.join('、')}）`,
  opened: (dataDir: string, { id, deviceCount, lastWrittenAt }: Opened) =>
    `  数据目录：${dataDir}，系统 ${id}：设备 ${deviceCount} 台，${lastWrittenAt === null ? '尚无数据' : `最后写入于 ${shown(lastWrittenAt)}`}`,
  pages: (url: string) => `  网页：${url}`,
  intake: (urls: string[]) => `  设备接入：${urls.join('，')}`,
  demoData: '  注意：这里是 npm run demo 建立的演示数据，正式使用请用 DATA_DIR 指定另一个目录',
  demoSignIn: (how: string) => `  演示登录：${how}`,
  firstSignIn: (loginName: string, password: string) =>
    `  首次登录：登录名 ${loginName}，密码 ${password}（只显示这一次，登录后须修改）`,
  wasReset: (loginName: string, shown: string) => `管理员密码已重置：登录名 ${loginName}，密码 ${shown}`,
  toBeChanged: (password: string) => `${password}（登录后须修改）`,
  givenPassword: 'ADMIN_PASSWORD 的值',
  ownerIsMissing:
    'DATABASE_URL 的用户不是表的所有者，无法建立和清理历史分区：请为承担 jobs 的进程设置 DATABASE_OWNER_URL，或从 ROLES 中去掉 jobs。',

  // The demonstration
  realDirectory: (dataDir: string) =>
    `数据目录 ${dataDir} 中是一套正式系统，演示不会写入：请用 npm start 启动它，或用 DATA_DIR 为演示指定另一个目录。`,
  realDatabase:
    'DATABASE_URL 指定的数据库中是一套正式系统，演示不会写入：请用 npm start 启动它，或为演示另建一个数据库。',
  demoPassword: (loginName: string, password: string) => `登录名 ${loginName}，密码 ${password}`,
  keptIn: (file: string) => `（保存在 ${file}）`,
  onlyAtFirst: '；ADMIN_PASSWORD 只在首次启动时生效',
  demoPasswordIsOther: (loginName: string, dataDir: string) =>
    `登录名 ${loginName}，密码已另行设置（首次启动时的 ADMIN_PASSWORD、登录后的修改或重置）；` +
    `忘记时停止演示，执行 DATA_DIR=${dataDir} npm start -- --reset-admin`,

  // Settings
  badSetting: (name: string, shown: string, problem: string | undefined, about: string) =>
    `环境变量 ${name} 的值 ${shown} 无效：${problem}（${about}）`,
  notShown: '（不显示）',
  port: '应为端口号',
  wholePort: '应为整数端口号',
  portLeast: '端口号不能小于 0',
  portMost: '端口号不能大于 65535',
  count: (unit: string) => `应为${unit}数`,
  wholeCount: (unit: string) => `应为整数${unit}数`,
  least: (least: number) => `不能小于 ${least}`,
  most: (most: number) => `不能大于 ${most}`,
  oneOf: (values: string[]) => `应为 ${values.slice(0, -1).join('、')} 或 ${values.at(-1)}`,
  address: (beginnings: string[]) => `应为 ${beginnings.join(' 或 ')} 开头的地址`,
  bucket: '应为 https://主机/桶名 或 https://桶名.主机',
  leastLength: (length: number) => `长度不能少于 ${length} 个字符`,
  mostLength: (length: number) => `长度不能超过 ${length} 个字符`,
  date: '应为日期，如 2026-11-01',
  networks: '应为以逗号分隔的地址或网段',
  sealKey: '应为 32 字节的 Base64',
  zone: '应为时区名，如 Asia/Shanghai 或 UTC，区分大小写，不能写作 +08:00 或 CST',
  needs: (reason: string, settings: string[]) => `设置了 ${reason} 时，必须设置 ${settings.join(' 和 ')}`,
  neededAs: (reason: string, value: string, settings: string[]) =>
    `${reason} 为 ${value} 时，必须设置 ${settings.join(' 和 ')}`,
  bothNeeded: (one: string, other: string) => `${one} 和 ${other} 必须同时设置`,
  notGreater: (lower: string, upper: string) => `${lower} 不能大于 ${upper}`,
  nginxNeedsDisk: 'FILE_DELIVERY 为 nginx 时，文件须在本机磁盘，不能设置 S3_URL',
  proxiesNeeded: 'MQTT_PROXY_PROTOCOL 为 true 时，必须用 TRUSTED_PROXIES 说明代理的地址',

  // DATA_DIR
  isFile: (dataDir: string, file: string) =>
    `数据目录 ${dataDir} ${file === dataDir ? '' : `的上级 ${file} `}是文件，不是目录：请用 DATA_DIR 指定一个目录。`,
  notWritable: (dataDir: string, code: string | undefined) =>
    `数据目录 ${dataDir} 不可写（${code}）：请修改目录权限，或用 DATA_DIR 指定另一个目录。`,
  inUse: (dataDir: string, who: string) =>
    `数据目录 ${dataDir} 正被${who}使用：请先停止它，或用 DATA_DIR 指定另一个目录。`,
  sessionInUse: (dataDir: string, who: string) =>
    `数据目录 ${dataDir} 已被${who}用于接入外部 MQTT 服务，两个进程会不断互相挤下线：请先停止它，或用 DATA_DIR 为每个接入进程（ingest）指定各自的目录。`,
  otherProcess: (pid: string) => (pid === '' ? '另一个 Voltkeep 进程' : `另一个 Voltkeep 进程（PID ${pid}）`),

  // The database
  databaseRefuses: (place: string, setting: string) =>
    `数据库 ${place} 拒绝登录：请检查 ${setting} 中的用户名和密码。`,
  noDatabase: (place: string, setting: string) =>
    `数据库 ${place} 不存在：请先创建该数据库（CREATE DATABASE），或检查 ${setting}。`,
  databaseAway: (place: string, why: string, setting: string) =>
    `无法连接数据库 ${place}（${why}）：请确认数据库已启动、地址可达，并检查 ${setting}。`,
  notMigrated: (name: string) =>
    `数据库尚未应用迁移 ${name}，而 DATABASE_URL 的用户无权迁移：请先启动一个设置了 DATABASE_OWNER_URL 的进程。`,
  noTables:
    '数据库中还没有服务的表，或尚未授权，而 DATABASE_URL 的用户无权迁移：请先启动一个设置了 DATABASE_OWNER_URL 的进程。',
  isNewer: (name: string, release?: string) =>
    `数据库比程序新：它已${release === undefined ? '' : `由 Voltkeep ${release} `}应用迁移 ${name}，本版本不能使用。请启动${release === undefined ? '更新' : ` ${release} 或更新`}的版本。`,
}

const en: typeof zh = {
  failed: (why) => `The start has failed. ${why}`,
  badArguments: (given) =>
    `The argument ${given} is not valid. There are --reset-admin (a new password for the administrator), --backup FILE, --verify-backup FILE, --restore FILE, --diagnose (a file without secrets for whoever helps) and --version.`,
  portTaken: (port, setting) =>
    `Port ${port} is in use: stop the program that uses it, or choose another port with ${setting}.`,
  portForbidden: (port, setting) =>
    `No permission to listen on port ${port}: choose a port above 1024 with ${setting}.`,
  noSuchAddress: (place, setting) => `This machine has no address ${place}: check ${setting}.`,
  started: (roles) => `Voltkeep is running (${roles.join(', ')})`,
  opened: (dataDir, { id, deviceCount, lastWrittenAt }) =>
    `  Data:     ${dataDir}, installation ${id}, ${deviceCount} devices, ${lastWrittenAt === null ? 'nothing written yet' : `last written at ${shown(lastWrittenAt)}`}`,
  pages: (url) => `  Pages:    ${url}`,
  intake: (urls) => `  Devices:  ${urls.join(', ')}`,
  demoData: '  Note: these are the data of npm run demo; for real use choose another directory with DATA_DIR',
  demoSignIn: (how) => `  Sign in:  ${how}`,
  firstSignIn: (loginName, password) =>
    `  First sign-in: user ${loginName}, password ${password} (shown this once, to be changed after signing in)`,
  wasReset: (loginName, shown) =>
    `The administrator's password was reset: user ${loginName}, password ${shown}`,
  toBeChanged: (password) => `${password} (to be changed after signing in)`,
  givenPassword: 'as in ADMIN_PASSWORD',
  ownerIsMissing:
    'The user of DATABASE_URL does not own the tables and cannot make partitions: set DATABASE_OWNER_URL for the process with the role jobs, or leave jobs out of ROLES.',

  realDirectory: (dataDir) =>
    `The directory ${dataDir} has a real installation, which the demonstration never writes to: start it with npm start, or choose another directory with DATA_DIR.`,
  realDatabase:
    'The database of DATABASE_URL has a real installation, which the demonstration never writes to: start it with npm start, or make another database.',
  demoPassword: (loginName, password) => `user ${loginName}, password ${password}`,
  keptIn: (file) => ` (kept in ${file})`,
  onlyAtFirst: '; ADMIN_PASSWORD counts at the first start alone',
  demoPasswordIsOther: (loginName, dataDir) =>
    `user ${loginName}, with a password that was set elsewhere (ADMIN_PASSWORD of the first start, changed or reset since); ` +
    `where it is lost stop the demonstration and run DATA_DIR=${dataDir} npm start -- --reset-admin`,

  badSetting: (name, shown, problem) =>
    `The value ${shown} of ${name} is not valid: ${problem} (see Settings in docs/operating.md)`,
  notShown: '(not shown)',
  port: 'it has to be a port number',
  wholePort: 'it has to be a whole port number',
  portLeast: 'a port is not below 0',
  portMost: 'a port is not above 65535',
  count: () => 'it has to be a number',
  wholeCount: () => 'it has to be a whole number',
  least: (least) => `it has to be ${least} at least`,
  most: (most) => `it has to be ${most} at most`,
  oneOf: (values) => `it has to be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`,
  address: (beginnings) => `it has to be an address that begins with ${beginnings.join(' or ')}`,
  bucket: 'it has to be https://host/bucket or https://bucket.host',
  leastLength: (length) => `it has to have ${length} characters at least`,
  mostLength: (length) => `it has to have ${length} characters at most`,
  date: 'it has to be a date such as 2026-11-01',
  networks: 'it has to be addresses or networks, separated by commas',
  sealKey: 'it has to be 32 bytes in base64',
  zone: 'it has to be the name of a zone such as Asia/Shanghai or UTC, in this case of letters, not +08:00 or CST',
  needs: (reason, settings) => `${reason} needs ${settings.join(' and ')}`,
  neededAs: (reason, value, settings) => `${reason}=${value} needs ${settings.join(' and ')}`,
  bothNeeded: (one, other) => `${one} and ${other} have to be set together`,
  notGreater: (lower, upper) => `${lower} must not be greater than ${upper}`,
  nginxNeedsDisk: 'FILE_DELIVERY=nginx needs the files on the disk of this machine: leave S3_URL out',
  proxiesNeeded: 'MQTT_PROXY_PROTOCOL=true needs the addresses of the proxies in TRUSTED_PROXIES',

  isFile: (dataDir, file) =>
    `DATA_DIR ${dataDir}: ${file === dataDir ? 'it' : file} is a file and no directory. Choose a directory.`,
  notWritable: (dataDir, code) =>
    `DATA_DIR ${dataDir} cannot be written (${code}): change its permissions, or choose another directory.`,
  inUse: (dataDir, who) => `DATA_DIR ${dataDir} is in use by ${who}: stop it, or choose another directory.`,
  sessionInUse: (dataDir, who) =>
    `DATA_DIR ${dataDir} is used by ${who} for the external MQTT broker, and two processes would disconnect each other: stop it, or give each process with the role ingest a DATA_DIR of its own.`,
  otherProcess: (pid) => (pid === '' ? 'another Voltkeep process' : `another Voltkeep process (PID ${pid})`),

  databaseRefuses: (place, setting) =>
    `The database ${place} refuses the sign-in: check user and password in ${setting}.`,
  noDatabase: (place, setting) =>
    `The database ${place} does not exist: make it first (CREATE DATABASE), or check ${setting}.`,
  databaseAway: (place, why, setting) =>
    `The database ${place} cannot be reached (${why}): see that it is running and reachable, and check ${setting}.`,
  notMigrated: (name) =>
    `The migration ${name} has not been applied, and the user of DATABASE_URL may not do so: first start a process with DATABASE_OWNER_URL.`,
  noTables:
    'The database has no tables yet, or no rights to them were granted, and the user of DATABASE_URL may make none: first start a process with DATABASE_OWNER_URL.',
  isNewer: (name, release) =>
    `The database is newer than this release, which cannot work with the migration ${name}${release === undefined ? '' : ` of Voltkeep ${release}`}. Start ${release === undefined ? 'a newer release' : `${release} or a newer release`}.`,
}

export const startupTexts = { zh, en }[language]
