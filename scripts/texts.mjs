// What the scripts print for the person at the terminal, in both languages.
import { language } from './language.mjs'

const zh = {
  unknownCommand: (name, names) => `未知命令 ${name}：可用 ${names.join('、')}`,
  oldNode: (version) => `Node.js ${version} 版本过低：请先安装 Node.js 20 或更高版本。`,
  installing: '正在安装依赖（npm ci）…',
  notInstalled: (why) => `依赖安装失败（npm ci）：请检查网络和上面的提示后重试。${why}`,
  webBuilt: '网页已构建。',
  noNode: (machine, version) =>
    `没有适用于本机（${machine}）的内置 Node.js 24，且当前 Node.js ${version} 不能直接运行 TypeScript：请安装 Node.js 24 后重试。`,
  unknownStep: (names, known) => `未知步骤 ${names.join('、')}：可用 ${known.join('、')}`,
  demoUsage: `用法：npm run demo -- [选项]
  --devices 数量              虚拟设备数量，1 到 100000，默认 200
  --upgrade-trouble 名称=比例 每次尝试升级时按比例发生故障，可重复，如 install-fails=0.2
  --cabinet-trouble 名称=比例 仓位按比例发生故障，可重复，如 hot-battery=0.05
  --status-seconds 秒数 每台设备上报运行状态的间隔，默认 300，0 为不上报
  --setting-trouble 名称=比例 设置参数时按比例发生故障，可重复，如 never-applies=0.1
  --upgrade-seconds 秒数      一次升级约用多久，默认 40
  --alarming-minor 数字       次版本号为此数的固件安装成功后会产生告警，默认 66
故障名称和其余选项见 node apps/simulator/src/main.ts --help`,
  demoOptions: (given, known) =>
    `启动参数 ${given} 无效：可用的参数有 ${known.join('、')}，说明见 npm run demo -- --help。`,
  demoDevices: '设备数量应为 1 到 100000 的整数：npm run demo -- --devices 200',
  demoFleet: (count) => `  虚拟设备：${count} 台；按 Ctrl-C 停止。\n`,
  demoServerEnded: (how) => `服务意外退出（${how}），演示随之停止；重新执行 npm run demo 即可，数据都在。`,
  demoFleetEnded: (how) => `虚拟设备意外退出（${how}），5 秒后重新启动`,
  exitCode: (code) => `退出码 ${code}`,
  releaseUsage:
    '用法：npm run release -- --out 目录 [--key 签名私钥（Ed25519，PEM）]；或 --tree 目录，只铺开文件',
  releasePlatform: (platform) => `安装包面向 ${platform}，只能在同样的机器上制作。`,
  releaseIncomplete: (place) => `缺少 ${place}：请先运行 npm ci。`,
  releaseUnlisted: (version) => `CHANGELOG.md 的第一个版本不是 ${version}：请先写明它和日期。`,
  releaseBill: (why) => `未能列出软件清单（npm sbom）：${why}`,
  released: (out) => `安装包、软件清单、校验和与签名已写入 ${out}`,
  releaseUnsigned: (out) => `安装包、软件清单与校验和已写入 ${out}；没有签名（--key）`,
  secondTries: '第二次才通过：',
  noPostgres: '没有系统自带的 PostgreSQL，跳过兼容性测试：请安装（apt-get install postgresql）',
  noBrowser:
    '没有找到浏览器，跳过端到端测试：请安装 chromium（apt-get install chromium），或用 CHROMIUM_PATH 指定',
}

/** @type {typeof zh} */
const en = {
  unknownCommand: (name, names) => `Unknown command ${name}. There are: ${names.join(', ')}`,
  oldNode: (version) => `Node.js ${version} is too old: install Node.js 20 or newer first.`,
  installing: 'Installing dependencies (npm ci) …',
  notInstalled: (why) =>
    `The dependencies could not be installed (npm ci): check the network and the lines above, then try again. ${why}`,
  webBuilt: 'The pages have been built.',
  noNode: (machine, version) =>
    `There is no Node.js 24 for this machine (${machine}) in the lock file, and Node.js ${version} cannot run TypeScript: install Node.js 24.`,
  unknownStep: (names, known) => `Unknown step ${names.join(', ')}. There are: ${known.join(', ')}`,
  demoUsage: `Usage: npm run demo -- [options]
  --devices COUNT             virtual devices, 1 to 100000, by default 200
  --upgrade-trouble NAME=SHARE  share of upgrades that go wrong, repeatable, e.g. install-fails=0.2
  --cabinet-trouble NAME=SHARE  share of compartments with a fault, repeatable, e.g. hot-battery=0.05
  --status-seconds SECONDS  how often each device reports its status, by default 300; 0 for never
  --setting-trouble NAME=SHARE  share of settings that go wrong, repeatable, e.g. never-applies=0.1
  --upgrade-seconds SECONDS   about how long an upgrade takes, by default 40
  --alarming-minor NUMBER     firmware of this minor version causes alarms, by default 66
Names of troubles and more options: node apps/simulator/src/main.ts --help`,
  demoOptions: (given, known) =>
    `The argument ${given} is not valid. There are ${known.join(', ')}; see npm run demo -- --help.`,
  demoDevices: 'The number of devices has to be an integer from 1 to 100000: npm run demo -- --devices 200',
  demoFleet: (count) => `  Virtual devices: ${count}. Ctrl-C stops everything.\n`,
  demoServerEnded: (how) =>
    `The server has ended unexpectedly (${how}), and the demonstration with it. Run npm run demo again: all data are there.`,
  demoFleetEnded: (how) =>
    `The virtual devices have ended unexpectedly (${how}) and start again in 5 seconds`,
  exitCode: (code) => `exit code ${code}`,
  releaseUsage:
    'Usage: npm run release -- --out DIR [--key FILE (a private key, Ed25519, PEM)]; or --tree DIR, the files alone',
  releasePlatform: (platform) => `The archive is for ${platform}, and made on such a machine alone.`,
  releaseIncomplete: (place) => `${place} is missing: run npm ci first.`,
  releaseUnlisted: (version) => `CHANGELOG.md does not begin with ${version}: write it there with its day.`,
  releaseBill: (why) => `The list of what is in it could not be made (npm sbom): ${why}`,
  released: (out) => `Archive, list of contents, checksums and signature are in ${out}`,
  releaseUnsigned: (out) => `Archive, list of contents and checksums are in ${out}; not signed (--key)`,
  secondTries: 'Passed at the second try only:',
  noPostgres:
    'No PostgreSQL is installed, so the tests on the oldest one are skipped: apt-get install postgresql',
  noBrowser: 'There is no browser, so end-to-end tests are SKIPPED: install chromium, or set CHROMIUM_PATH',
}

export const texts = { zh, en }[language]
