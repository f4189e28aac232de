// What the simulator prints for the person at the terminal, in the language of the machine (decision 38). What devices
// tell the server is Chinese everywhere.
import { language } from '../../../scripts/language.mjs'

type Meanings = Readonly<Record<string, string>>

/** The names of troubles with what they mean. */
interface KnownTroubles {
  advertising: Meanings
  upgrades: Meanings
  settings: Meanings
  logs: Meanings
  actions: Meanings
  cabinets: Meanings
}

function listOf(meanings: Meanings): string {
  return Object.entries(meanings)
    .map(([name, meaning]) => `    ${name.padEnd(18)} ${meaning}`)
    .join('\n')
}

const zh = {
  usage: (scenarios: readonly string[], known: KnownTroubles) => `用法：simulator --secrets 文件 [选项]
  --mqtt 地址        设备接入服务，默认 mqtt://localhost:1883
  --ca 文件          另外信任的 CA（PEM），用于 mqtts:// 和 https://
  --secrets 文件     设备编号与密钥的 JSON 列表：[{"code","secret","classify","partTypes","boards","compartments"}]
  --devices 数量     只模拟前若干台，默认全部
  --scenario 名称    ${scenarios.join('、')}；默认 live
  --rate 倍数        节奏，默认 1；storm 为每秒 1000 条的倍数
  --history 天数     开始前补报最近若干天的历史数据，每个密钥文件只补报一次
  --seed 数字        随机种子，默认 1
  --seconds 秒数     到时自动结束，默认一直运行
  --trouble 名称=比例 执行广告命令时按比例发生故障，可重复；比例为 0 到 1
${listOf(known.advertising)}
  --upgrade-trouble 名称=比例 每次尝试升级时按比例发生故障，可重复；比例为 0 到 1
${listOf(known.upgrades)}
  --setting-trouble 名称=比例 设置参数时按比例发生故障，可重复；比例为 0 到 1
${listOf(known.settings)}
  --log-trouble 名称=比例 每次提取日志时按比例发生故障，可重复；比例为 0 到 1
${listOf(known.logs)}
  --action-trouble 名称=比例 远程操作时按比例发生故障，可重复；比例为 0 到 1
${listOf(known.actions)}
  --cabinet-trouble 名称=比例 仓位按比例发生故障，可重复；比例为 0 到 1
${listOf(known.cabinets)}
  --status-seconds 秒数 每台设备上报运行状态的间隔，默认 300；0 为不上报，也不模拟仓位和电池
  --upgrade-seconds 秒数 一次升级约用多久，默认 40
  --alarming-minor 数字 次版本号为此数的固件（如 2.66）安装成功后会产生告警，默认 66
设备升级后的版本和设置后的参数记在密钥文件旁的 .flash.json 中，下次运行时沿用。
`,
  noSecrets: '缺少 --secrets',
  noScenario: (name: string) => `没有名为 ${name} 的场景`,
  noNumber: (name: string) => `--${name} 应为非负数`,
  noTrouble: (name: string) => `没有名为 ${name} 的故障`,
  badShare: (given: string) => `${given}：比例应为 0 到 1`,
  sharesBeyond: '各故障的比例之和不能超过 1',
  noDevices: (path: string) => `${path} 中没有设备`,
  failed: (why: string) => `模拟器：${why}`,
  begins: (count: number, scenario: string) => `模拟 ${count} 台设备，场景 ${scenario}`,
  notLetIn: (code: string, reason: string) => `设备 ${code} 未能接入（${reason}），将继续重试`,
  online: (count: number, all: number) => `在线 ${count}/${all} 台`,
  backFilled: (days: number, count: number) => `已补报最近 ${days} 天的历史数据，共 ${count} 条`,
  storm: (sent: number, acknowledged: number, online: number, all: number) =>
    `风暴：已上报 ${sent}，已确认 ${acknowledged}，在线 ${online}/${all} 台`,
  linesCut: (count: number) => `断线：${count} 台同时掉线`,
}

/** The same names as in commands/trouble.ts. */
export const englishTroubles = {
  advertising: {
    'never-answers': 'executes and never replies',
    'answers-twice': 'replies twice',
    'answers-late': 'replies after the deadline',
    refuses: 'refuses',
    'cut-download': 'the download breaks off once and goes on',
    'wrong-hash': 'the checksum of the download differs',
    'disk-full': 'no room is left',
    forgets: 'forgets commands it has executed, and executes them again',
    lies: 'reports success without executing',
    'power-cut': 'loses power during the download',
    'foreign-reply': 'also replies to a command that does not exist',
  },
  upgrades: {
    'never-answers': 'never replies to the command',
    'goes-silent': 'replies, and is silent from then on',
    refuses: 'refuses: the wrong board',
    'cut-download': 'the download breaks off once and goes on',
    'power-cut': 'loses power during the download, then goes on',
    'wrong-hash': 'the checksum of the download differs',
    'install-power-cut': 'loses power while installing, then installs again',
    'install-fails': 'the installation fails, the old version runs on',
    'claims-success': 'reports success, and has the old version after the restart',
    alarms: 'is installed, and raises alarms',
  },
  settings: {
    refuses: 'refuses: the device is locked',
    fails: 'execution fails',
    silent: 'neither executes nor replies',
    'never-applies': 'reports success, and the value never changes',
    'applies-late': 'reports success, and the value changes later',
    'applies-some': 'reports success, and only some values change',
  },
  logs: {
    'never-answers': 'neither replies nor uploads',
    'goes-silent': 'replies, and does not upload',
    refuses: 'refuses: there is no log',
    'cut-upload': 'breaks off half way, and uploads again',
    'wrong-type': 'uploads a file of another type',
    'too-large': 'uploads more than is accepted',
    'wrong-checksum': 'uploads an archive with a wrong checksum (gz)',
  },
  actions: {
    'never-answers': 'executes and never replies',
    refuses: 'refuses: a swap is under way',
    fails: 'execution fails',
    lies: 'reports success without executing',
  },
  cabinets: {
    'door-sticks': 'a door that was opened cannot be closed',
    'compartment-fails': 'the compartment cannot be used',
    'charger-fails': 'the charger gives no current',
    'hot-battery': 'the battery overheats while it charges',
    'silent-sensor': 'no temperature is reported',
    'bad-sensor': 'an impossible temperature is reported',
    'claims-battery': "another battery's code is reported",
    'runs-out': 'the cabinet has no mains and charges nothing',
  },
} as const satisfies KnownTroubles

const en: typeof zh = {
  usage: (scenarios) => `Usage: simulator --secrets FILE [options]
  --mqtt ADDRESS     where devices connect, by default mqtt://localhost:1883
  --ca FILE          a further CA to trust (PEM), for mqtts:// and https://
  --secrets FILE     JSON list of devices and secrets: [{"code","secret","classify","partTypes","boards","compartments"}]
  --devices COUNT    simulates only the first so many, by default all
  --scenario NAME    ${scenarios.join(', ')}; by default live
  --rate FACTOR      pace, by default 1; for storm a multiple of 1000 messages a second
  --history DAYS     first reports the history of so many days, once for each file of secrets
  --seed NUMBER      seed of chance, by default 1
  --seconds SECONDS  ends by itself after so long, by default never
  --trouble NAME=SHARE  share of advertisement commands that go wrong, 0 to 1, repeatable
${listOf(englishTroubles.advertising)}
  --upgrade-trouble NAME=SHARE  share of attempts to upgrade that go wrong, 0 to 1, repeatable
${listOf(englishTroubles.upgrades)}
  --setting-trouble NAME=SHARE  share of settings that go wrong, 0 to 1, repeatable
${listOf(englishTroubles.settings)}
  --log-trouble NAME=SHARE  share of log extractions that go wrong, 0 to 1, repeatable
${listOf(englishTroubles.logs)}
  --action-trouble NAME=SHARE  share of remote actions that go wrong, 0 to 1, repeatable
${listOf(englishTroubles.actions)}
  --cabinet-trouble NAME=SHARE  share of compartments with a fault, 0 to 1, repeatable
${listOf(englishTroubles.cabinets)}
  --status-seconds SECONDS  how often each device reports its status, by default 300; 0 for never, without batteries
  --upgrade-seconds SECONDS  about how long an upgrade takes, by default 40
  --alarming-minor NUMBER  firmware of this minor version (as 2.66) causes alarms, by default 66
Versions and parameters of the devices are kept in a .flash.json beside the file of secrets, for the next run.
`,
  noSecrets: '--secrets is missing',
  noScenario: (name) => `There is no scenario ${name}`,
  noNumber: (name) => `--${name} has to be a number of 0 or more`,
  noTrouble: (name) => `There is no trouble ${name}`,
  badShare: (given) => `${given}: a share is 0 to 1`,
  sharesBeyond: 'The shares of troubles come to more than 1',
  noDevices: (path) => `There are no devices in ${path}`,
  failed: (why) => `Simulator: ${why}`,
  begins: (count, scenario) => `Simulating ${count} devices, scenario ${scenario}`,
  notLetIn: (code, reason) => `Device ${code} was not let in (${reason}) and goes on trying`,
  online: (count, all) => `Online: ${count} of ${all}`,
  backFilled: (days, count) => `Reported the history of ${days} days: ${count} messages`,
  storm: (sent, acknowledged, online, all) =>
    `Storm: ${sent} sent, ${acknowledged} acknowledged, ${online} of ${all} online`,
  linesCut: (count) => `${count} devices lose their connection at once`,
}

export const texts = { zh, en }[language]
