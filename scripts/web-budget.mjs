// How much a person's browser has to fetch: the sign-in page and the first alarm page, in the brotli
// that the server sends. The sign-in page is read off the build's own graph; the alarm page is opened
// in a real browser where there is one, so that every chunk it asks for by itself is counted. Exits 1
// over budget. Run it with the Node of the lock file: node_modules/.bin/node scripts/web-budget.mjs

import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { buildWeb } from './web-build.mjs'

const dist = join(import.meta.dirname, '../apps/web/dist')
/** In kilobytes of 1,000. */
const budgets = { signIn: 95, alarms: 400 }
/** Well-known consoles, measured the same way on the same two pages. */
const anchors = {
  'vue-element-admin': { signIn: 252, alarms: 281 },
  'soybean-admin': { signIn: 429, alarms: 617 },
  'ant-design-pro': { signIn: 541, alarms: 761 },
}
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium'
const alarmPath = '/maintenance/exitWarning'

const menu = (part) => ({
  id: '1',
  parentId: '0',
  name: '',
  type: 'C',
  path: '',
  remark: '',
  icon: null,
  url: null,
  orderNum: 1,
  openType: 0,
  children: [],
  ...part,
})
const functions = ['alarm:page', 'alarm:detail', 'alarm:recover', 'alarm:history', 'alarm:export']
/** What the API says in this measurement. */
const answers = {
  '/api/user/info': {
    data: {
      id: '1',
      userName: '测量',
      loginName: 'budget',
      organizationId: '1',
      organizationName: '测量',
      resultVOS: [{ id: '1', name: '系统', code: 'SYSTEM' }],
      functionCodes: functions,
      mustChangePassword: false,
      tree: [
        menu({
          name: '告警管理',
          path: alarmPath,
          url: 'maintenance/exitWarning',
          children: functions.map((remark, at) => menu({ id: String(at + 2), type: 'F', remark })),
        }),
      ],
    },
  },
  '/api/alarm/page': {
    total: 1_234,
    data: Array.from({ length: 10 }, (_, at) => ({
      id: String(at + 1),
      code: `A00000000${at}`,
      equipCode: `A00000000${at}`,
      equipId: String(at + 1),
      organizationId: '1',
      operatorId: '1',
      operatorName: '运营商',
      equipTypeId: '1',
      equipTypeName: '换电柜',
      equipModelId: '1',
      equipModelName: '十二仓',
      equipClassify: 'EC',
      isOnline: 1,
      semaphoreCode: '05010012',
      semaphoreName: '仓门反馈异常',
      alarmLevel: 1 + (at % 4),
      value: 5,
      status: 1,
      flag: 'fault',
      occurrenceTime: '2026-11-20 09:30:05',
      recoveryTime: null,
      recoveryMethod: null,
      recoveryMethodName: null,
      recoveredBy: null,
      note: null,
    })),
  },
}

buildWeb(process.execPath)
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)

const signIn = filesOf([entry])
/** `console` is the layer that vite.config.ts makes of the router and the layout. */
const graph = filesOf([entry, keyNamed('console'), 'src/features/alarms/AlarmPage.tsx'])
const opened = existsSync(chromium) ? await openAlarmPage() : undefined
if (opened) {
  const unseen = [...graph].filter((file) => !opened.has(file))
  // The graph is what the page cannot do without: a browser that loaded less did not open the page.
  if (unseen.length > 0) fail(`打开告警页时没有加载：${unseen.join('、')}`)
} else {
  console.log('没有浏览器：告警页只按构建的依赖关系计算，页面自行加载的部分未计入。')
}
const alarms = opened ?? graph

const figures = {
  signIn: kilobytes([...signIn].filter((file) => file.endsWith('.js'))),
  alarms: kilobytes([...alarms]),
}
report('登录页 JS', figures.signIn, 'signIn')
report('首个告警页 JS + CSS', figures.alarms, 'alarms')
const largest = [...alarms]
  .map((file) => [file, kilobytes([file])])
  .sort(([, a], [, b]) => b - a)
  .slice(0, 8)
console.log(`\n告警页最大的文件（共 ${alarms.size} 个）：`)
for (const [file, size] of largest) console.log(`  ${size.toFixed(1).padStart(6)} KB  ${file}`)
if (figures.signIn > budgets.signIn || figures.alarms > budgets.alarms) fail('超出预算。')

function report(title, size, page) {
  const ratios = Object.entries(anchors)
    .map(([name, anchor]) => `${name} ${(size / anchor[page]).toFixed(2)}`)
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

function kilobytes(files) {
  return files.reduce((sum, file) => sum + compressedSize(file), 0) / 1_000
}

/** As apps/server sends it: brotli at quality 9. */
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

/** Opens the alarm page as a signed-in user with ten alarms; answers the scripts and styles it asked for. */
async function openAlarmPage() {
  const { chromium: browserType } = await import('playwright-core')
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const origin = `http://127.0.0.1:${server.address().port}`
  const browser = await browserType.launch({ executablePath: chromium, args: ['--no-sandbox'] })
  try {
    const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1440, height: 900 } })
    await context.addCookies([{ name: 'voltkeep_token', value: 'budget', url: origin }])
    const page = await context.newPage()
    const files = new Set()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/\.(js|css)$/.test(pathname)) files.add(pathname.slice(1))
    })
    await page.goto(origin + alarmPath)
    await page.getByText('A000000009').first().waitFor()
    // What the page loads by itself once it stands, e.g. the calendar of its range filter.
    await page.waitForTimeout(2_000)
    return files
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
}

function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/api/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': open\n\n')
    return
  }
  if (pathname.startsWith('/api/')) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ code: 200, message: '', total: 0, data: [], ...answers[pathname] }))
    return
  }
  const file = join(dist, pathname)
  const body = readFileSync(extname(pathname) && existsSync(file) ? file : join(dist, 'index.html'))
  const types = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
  response.writeHead(200, { 'content-type': types[extname(pathname)] ?? 'text/html' })
  response.end(body)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
