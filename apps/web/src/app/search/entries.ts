// The targets of the search, and the words that find them.

import type { DataFor } from '@voltkeep/contract/endpoint'
import type { MenuNode } from '@voltkeep/contract/menus'
import type { FoundDevice, FoundTask, FoundUser, searchConsole } from '@voltkeep/contract/search'
import { shortRegion } from '../../lib/regions.ts'
import { texts } from '../../lib/texts/index.ts'
import type { MenuRoute } from '../menuRoutes.ts'
import { searchTexts } from './search.texts.ts'

/** What the server finds. */
export type FoundKind = 'device' | 'battery' | 'region' | 'operator' | 'task' | 'package' | 'user'

/** A target of the search. */
export interface Entry {
  key: string
  kind: FoundKind | 'page' | 'function'
  title: string
  /** The title is a code, a number or a file's name. */
  isCode?: boolean
  /** Its place, shown after the title. */
  hint: string
  /** Of a device: its state; null where it was never connected. */
  isOnline?: 0 | 1 | null
  path: string
  search: Record<string, string>
}

const has = (text: string, words: readonly string[]) =>
  words.every((word) => text.toLowerCase().includes(word))

export const wordsOf = (keyword: string): string[] =>
  keyword
    .toLowerCase()
    .split(/[\s,，、;；]+/)
    .filter((word) => word !== '')

/** The pages of the user's menus whose title, or whose place in the menus, has all words. */
export function pageEntries(routes: ReadonlyMap<string, MenuRoute>, keyword: string): Entry[] {
  const words = wordsOf(keyword)
  const home: Entry = {
    key: 'page:/dashboard',
    kind: 'page',
    title: texts.layout.home,
    hint: '',
    path: '/dashboard',
    search: {},
  }
  const pages = [...routes.values()].map(
    (route): Entry => ({
      key: `page:${route.path}`,
      kind: 'page',
      title: route.title,
      hint: route.ancestors.join(' / '),
      path: route.path,
      search: {},
    }),
  )
  return [home, ...pages].filter(({ title, hint }) => has(`${hint} ${title}`, words))
}

/** The functions of these pages by name; each leads to its page. */
export function functionEntries(
  tree: readonly MenuNode[],
  routes: ReadonlyMap<string, MenuRoute>,
  keyword: string,
): Entry[] {
  const words = wordsOf(keyword)
  if (words.length === 0) return []
  const byName = new Map([...routes.values()].map((route) => [route.name, route]))
  const entries: Entry[] = []
  const walk = (nodes: readonly MenuNode[]) => {
    for (const node of nodes) {
      const page = byName.get(node.remark)
      for (const child of page ? node.children : []) {
        if (page && child.type === 'F' && has(child.name, words)) {
          entries.push({
            key: `function:${child.id}`,
            kind: 'function',
            title: child.name,
            hint: page.title,
            path: page.path,
            search: {},
          })
        }
      }
      walk(node.children)
    }
  }
  walk(tree)
  return entries
}

export const deviceEntry = (device: FoundDevice, path: string): Entry => ({
  key: `device:${device.id}`,
  kind: 'device',
  title: device.code,
  isCode: true,
  hint: [device.name, device.regionName.split(' / ').slice(-2).join(' '), device.operatorName]
    .filter(Boolean)
    .join(' · '),
  isOnline: device.isOnline,
  path,
  search: { open: device.id },
})

export const userEntry = (user: FoundUser, path: string): Entry => ({
  key: `user:${user.id}`,
  kind: 'user',
  title: user.userName,
  hint: `${user.loginName} · ${user.organizationName}`,
  path,
  search: { name: user.loginName },
})

const taskPages = { upgrade: 'upgrade/upgradeTask', batch: 'maintenance/batchsetting' } as const

const taskEntry = ({ kind, id, title, note, createBy, createTime }: FoundTask, path: string): Entry => ({
  key: `task:${kind}:${id}`,
  kind: 'task',
  title,
  isCode: kind === 'batch',
  hint: [searchTexts.tasks[kind], note, createBy, createTime].filter(Boolean).join(' · '),
  path,
  search: kind === 'upgrade' ? { task: id } : { batch: id },
})

/**
 * What the server found, by kind, in the order in which it is shown. Each leads to its page: what the reader has no page
 * for is left out.
 */
export function foundEntries(
  found: DataFor<typeof searchConsole>,
  paths: ReadonlyMap<string, string>,
): { kind: FoundKind; entries: Entry[] }[] {
  const on = <Row>(
    page: string,
    rows: readonly Row[],
    entryOf: (row: Row, path: string) => Entry,
  ): Entry[] => {
    const path = paths.get(page)
    return path === undefined ? [] : rows.map((row) => entryOf(row, path))
  }
  const devicePage = 'equipment/list'
  const packagePage = paths.has('upgrade/firmware') ? 'upgrade/firmware' : 'upgrade/softwareVersion'
  return [
    { kind: 'device', entries: on(devicePage, found.devices, deviceEntry) },
    {
      kind: 'battery',
      entries: on('equipment/battery', found.batteries, (battery, path) => ({
        key: `battery:${battery.code}`,
        kind: 'battery',
        title: battery.code,
        isCode: true,
        hint: searchTexts.batteryAt(battery.deviceCode, battery.compartment, battery.isAway),
        path,
        search: { battery: battery.code },
      })),
    },
    {
      kind: 'region',
      entries: on(devicePage, found.regions, ({ code, name, fullName, deviceCount }, path) => ({
        key: `region:${code}`,
        kind: 'region',
        title: name,
        hint: `${shortRegion(fullName)} · ${searchTexts.devices(deviceCount)}`,
        path,
        search: { regionCode: code },
      })),
    },
    {
      kind: 'operator',
      entries: on(
        paths.has(devicePage) ? devicePage : 'reference/operator',
        found.operators,
        ({ id, name, code, organizationId, organizationName }, path): Entry => ({
          key: `operator:${id}`,
          kind: 'operator',
          title: name,
          hint: `${code} · ${organizationName}`,
          path,
          search: paths.has(devicePage) ? { organizationId, operatorId: id } : { code },
        }),
      ),
    },
    {
      kind: 'task',
      entries: found.tasks.flatMap((task) => on(taskPages[task.kind], [task], taskEntry)),
    },
    {
      kind: 'package',
      entries: on(
        packagePage,
        found.packages,
        ({ id, fileName, partTypeName, version, isRelease }, path) => ({
          key: `package:${id}`,
          kind: 'package',
          title: fileName,
          isCode: true,
          hint: [partTypeName, version, !isRelease && searchTexts.testVersion].filter(Boolean).join(' · '),
          path,
          search: { open: id },
        }),
      ),
    },
    { kind: 'user', entries: on('system/user', found.users, userEntry) },
  ]
}
