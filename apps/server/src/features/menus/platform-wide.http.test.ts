import { functionCodesOf, listMenus, platformWideFunctions, readCurrentUser } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { endpoints } from '../../../test/endpoints.ts'

const app = await appOfTests()

interface Node {
  type: string
  remark: string
  isPlatformWide?: boolean | undefined
  children: Node[]
}
const below = (nodes: readonly Node[]): Node[] => nodes.flatMap((node) => [node, ...below(node.children)])

test('the menus tell which functions affect all organizations, to administrators of roles and to all users', async () => {
  const token = await app.asAdmin()
  const all: Node[] = (await app.call(listMenus, {}, token)).data
  const own: Node[] = (await app.call(readCurrentUser, {}, token)).data.tree
  for (const nodes of [below(all), below(own)]) {
    const wide = nodes.filter((node) => node.isPlatformWide).map(({ remark }) => remark)
    expect(wide.sort()).toEqual([...platformWideFunctions].sort())
    expect(nodes.find(({ remark }) => remark === 'equip:update')?.isPlatformWide).toBe(false)
    expect(nodes.find(({ type }) => type === 'C')?.isPlatformWide).toBeUndefined()
  }
})

test('each of them is required by a call that writes', () => {
  const written = new Set<string>(
    endpoints.filter(({ endpoint }) => endpoint.isWrite).flatMap(({ endpoint }) => functionCodesOf(endpoint)),
  )
  expect(platformWideFunctions.filter((code) => !written.has(code))).toEqual([])
})
