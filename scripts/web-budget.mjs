// Checks how much a browser has to fetch for the sign-in page, the public pages, the first alarm page and the first list
// of devices, compressed with brotli like the server's answers. The first two are computed from the build's graph; the
// other two are opened in a browser, if there is one, against the real server, so that every chunk they request is
// counted: before the first row, and after. Exits with 1 over budget. Run with the Node of the lock file: node_modules/.bin/node
// scripts/web-budget.mjs

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { buildWeb } from './web-build.mjs'

const dist = join(import.meta.dirname, '../apps/web/dist')
/** In kilobytes of 1,000; for the pages of alarms and of devices, what is fetched before the first row. */
const budgets = { signIn: 95, publicPages: 105, alarms: 250, devices: 265 }
/** Well-known consoles, measured the same way on the same two pages. */
const anchors = {
  'vue-element-admin': { signIn: 252, alarms: 281 },
  'soybean-admin': { signIn: 429, alarms: 617 },
  'ant-design-pro': { signIn: 541, alarms: 761 },
}
const chromium = process.env.CHROMIUM_PATH || '/usr/bin/chromium'

await buildWeb(process.execPath)
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)

const signIn = filesOf([entry])
const publicPages = filesOf([entry, 'src/features/site/pages.tsx'])
/** `console` and `list` are chunks that vite.config.ts makes: of the router and the layout, and of the alarm page. */
const graph = filesOf([entry, keyNamed('console'), keyNamed('list')])
const deviceGraph = filesOf([entry, keyNamed('console'), keyNamed('list'), keyNamed('devices')])
const opened = existsSync(chromium)
  ? await openPages()
  : { alarms: { before: graph, after: new Set() }, devices: { before: deviceGraph } }
// The graph is what the page requires: a browser that loaded less did not open the page.
const unseen = [...graph].filter((file) => !opened.alarms.before.has(file))
if (unseen.length > 0) fail(`打开告警页时没有加载：${unseen.join('、')}`)
if (!existsSync(chromium)) {
  console.log('没有浏览器：告警页只按构建的依赖关系计算，页面自行加载的部分未计入。')
}

const figures = {
  signIn: kilobytes(scriptsOf(signIn)),
  publicPages: kilobytes(scriptsOf(publicPages)),
  alarms: kilobytes([...opened.alarms.before]),
  devices: kilobytes([...opened.devices.before]),
}
const later = kilobytes([...opened.alarms.after])
report('登录页 JS', figures.signIn, 'signIn')
console.log(`公开页面 JS：${figures.publicPages.toFixed(1)} KB，预算 ${budgets.publicPages} KB（brotli）`)
report('告警页首行出现前 JS + CSS', figures.alarms, 'alarms', later)
console.log(`  首行出现后页面自行加载：${later.toFixed(1)} KB`)
console.log(
  `设备列表首行出现前 JS + CSS：${figures.devices.toFixed(1)} KB，预算 ${budgets.devices} KB（brotli）`,
)
tell('告警页首行出现前的文件', opened.alarms.before)
tell('首行出现后的文件', opened.alarms.after)
tell('设备列表首行出现前的文件', opened.devices.before)
if (Object.keys(budgets).some((page) => figures[page] > budgets[page])) fail('超出预算。')

function tell(title, files) {
  const largest = [...files].map((file) => [file, kilobytes([file])]).sort(([, a], [, b]) => b - a)
  console.log(`\n${title}（共 ${files.size} 个，最大的 8 个）：`)
  for (const [file, size] of largest.slice(0, 8)) console.log(`  ${size.toFixed(1).padStart(6)} KB  ${file}`)
}

/** The others were measured with everything that their page fetches by itself: `later` makes ours comparable. */
function report(title, size, page, later = 0) {
  const ratios = Object.entries(anchors)
    .map(([name, anchor]) => `${name} ${((size + later) / anchor[page]).toFixed(2)}`)
    .join('，')
  console.log(`${title}：${size.toFixed(1)} KB，预算 ${budgets[page]} KB（brotli）`)
  console.log(`  与同口径参照之比：${ratios}`)
}

function keyNamed(name) {
  return Object.keys(manifest).find((key) => manifest[key].name === name) ?? fail(`构建清单里没有 ${name}`)
}

/** The files that these modules of the manifest need before they run. */
function filesOf(keys) {
  const files = new Set()
  const seen = new Set()
  const visit = (key) => {
    if (seen.has(key)) return
    seen.add(key)
    const chunk = manifest[key]
    if (!chunk) fail(`构建清单里没有 ${key}`)
    files.add(chunk.file)
    for (const style of chunk.css ?? []) files.add(style)
    for (const needed of chunk.imports ?? []) visit(needed)
  }
  for (const key of keys) visit(key)
  return files
}

function scriptsOf(files) {
  return [...files].filter((file) => file.endsWith('.js'))
}

function kilobytes(files) {
  return files.reduce((sum, file) => sum + compressedSize(file), 0) / 1_000
}

/** Like apps/server: brotli at quality 9. */
function compressedSize(file) {
  const body = readFileSync(join(dist, file))
  return brotliCompressSync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  }).length
}

/**
 * Opens the pages of alarms and of devices against the real server, as an administrator with ten alarms; returns for
 * each the scripts and styles requested before its first row, and those after.
 */
async function openPages() {
  const bench = await import('../bench/alarm-page.ts')
  const world = await bench.openAlarmWorld()
  const browser = await bench.launchBrowser()
  const open = async (path, call) => {
    const context = await bench.visitor(browser, world)
    const page = await context.newPage()
    await page.goto(world.server.url + path)
    const { files, calls, rowAddedMs } = await bench.firstLoadOf(page)
    await context.close()
    // index.html requests the rows before the list is rendered; a second request means that the list uses other
    // parameters.
    const lists = calls.filter((each) => each.path === call && each.startMs < rowAddedMs)
    if (lists.length !== 1) fail(`首行出现前查询了 ${lists.length} 次 ${call}，应为 1 次。`)
    const before = new Set()
    const after = new Set()
    for (const each of files) (each.startMs < rowAddedMs ? before : after).add(each.path.slice(1))
    return { before, after }
  }
  try {
    return {
      alarms: await open(bench.alarmPath, '/api/alarm/page'),
      devices: await open(bench.devicePath, '/api/equip/list'),
    }
  } finally {
    await browser.close()
    await world.close()
  }
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
