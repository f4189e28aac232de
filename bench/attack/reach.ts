// The attack on rows that all organizations share: what its user decides must end on no device of another organization.
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createAdvertisement,
  deleteAdvertisement,
  deleteFirmware,
  deleteUser,
  insertFirmware,
  insertSavedFilter,
  insertUpgradeTask,
  listDevices,
  listSavedFilters,
  readFirmwareJson,
  updateFirmware,
  uploadFirmware,
} from '@voltkeep/contract'
import { advertisementOf, uploadAnnex } from '../../apps/server/test/annex.ts'
import { postPackage, remark, type Uploaded, uploadPackage } from '../../apps/server/test/packages.ts'
import type { AttackPart, Ground } from './part.ts'
import { createReachWorld, type ReachWorld } from './reach-world.ts'

/** The automatic upgrades are looked at once a minute. */
const patienceMs = 90_000

/** A user who reaches no device tries to reach some through what all organizations share. */
export const reach: AttackPart = {
  name: 'reach',
  about:
    'packages of a user without devices, shared filters with foreign codes, and addresses of what is gone, beside two organizations with a cabinet each',
  async attack(ground) {
    const world = await createReachWorld(ground.server)
    try {
      await bringBytes(ground, world)
      await askByFilter(ground, world)
      await keepAddresses(ground, world)
    } finally {
      await world.close()
    }
  },
}

/** Packages: all organizations share them. */
async function bringBytes(ground: Ground, world: ReachWorld): Promise<void> {
  const { adminToken } = ground
  const { client } = ground.server
  const editor = await world.userOf(world.without, [uploadFirmware.access, updateFirmware.access])
  const maker = await world.userOf(world.without, [uploadFirmware.access, insertFirmware.access])
  const shared = await makePackage(ground, world, adminToken, '1.4')
  const foreign: string[] = []
  const evil = (version: string) => {
    const bytes = Buffer.from(`bytes of somebody else, ${version}`)
    foreign.push(createHash('sha256').update(bytes).digest('hex'))
    return bytes
  }

  // In place of the administrator's file: as the page does it, and with a file that was uploaded as another version.
  const replacing = await postPackage(client, editor.token, shared.upload.fileName, {
    bytes: evil('1.4'),
    fields: { type: 'update', versionId: shared.id },
  })
  const { filePath } = await uploadPackage(client, editor.token, nameOf(world, '9.9'), { bytes: evil('9.9') })
  const edit = (more: object) =>
    client.call(updateFirmware, { ...formOf(shared.upload, 1), ...more, id: shared.id }, editor.token)
  const sneaking = await edit({ filePath })
  ground.atMost('files replaced of 2', accepted([replacing, sneaking]), 0)

  const own = await uploadPackage(client, editor.token, nameOf(world, '98.0'), { bytes: evil('98.0') })
  const inserting = await client.call(insertFirmware, formOf(own, 1), editor.token)
  ground.atMost('packages made without the function', accepted([inserting]), 0)

  // What is allowed, and must reach nobody: switching on, and a package that is newer than all others.
  const newest = await makePackage(ground, world, maker.token, '99.0', { isAuto: 1, bytes: evil('99.0') })
  const switching = await edit({})
  ground.isTrue('switching on and an own package are allowed', switching.code === 200, switching.message)
  const honest = await makePackage(ground, world, adminToken, '1.5', { isAuto: 1 })
  const startedAt = new Date()
  const byAdmin = await client.call(
    insertUpgradeTask,
    { softwareVersionId: newest.id, upgradeTime: '2026-01-01 00:00:00', devices: { isAll: 1 } },
    adminToken,
  )
  ground.atMost("an administrator's tasks with that package", accepted([byAdmin]), 0)

  const orders = () =>
    world.cabinets.map(({ commands }) => commands.filter(({ sha256 }) => sha256 !== undefined))
  const isOver = async () =>
    (await world.isOfferedSince(startedAt)) &&
    orders().every((all) => all.some(({ sha256 }) => sha256 === honest.upload.sha256))
  await becomesTrue(isOver)
  const got = orders().filter((all) => all.some(({ sha256 }) => sha256 === honest.upload.sha256))
  ground.isTrue(
    "both cabinets get the administrator's package",
    got.length === world.cabinets.length,
    `${got.length} of ${world.cabinets.length}`,
  )
  const wrong = orders()
    .flat()
    .filter(({ sha256 }) => foreign.includes(sha256 as string))
  ground.atMost("commands with that user's bytes", wrong.length, 0)
  const tasks = await world.tasksOf([newest.id, shared.id])
  ground.atMost('tasks of what that user made or switched on', tasks, 0)
}

/** Shared filters: colleagues read them without the codes of devices that they do not see. */
async function askByFilter(ground: Ground, { cabinets, userOf }: ReachWorld): Promise<void> {
  const { client } = ground.server
  const [own, foreign] = cabinets
  if (!own || !foreign) throw new Error('two cabinets are needed')
  const asking = await userOf(own.organizationId, [listDevices.access])
  const reading = await userOf(own.organizationId, [listDevices.access])
  const list = listDevices.path
  const values = { code: [own.code, foreign.code, 'INVENTED01'].join(',') }
  await client.call(insertSavedFilter, { list, name: '三台', values, isShared: 1 }, asking.token)
  await client.call(
    insertSavedFilter,
    { list, name: '一台', values: { code: foreign.code }, isShared: 1 },
    asking.token,
  )
  const { data, text } = await client.call(listSavedFilters, { list }, reading.token)
  ground.isTrue(
    'a shared filter is read with the own code',
    data.some((filter) => filter.values.code === own.code),
  )
  ground.atMost('foreign or invented codes that it tells', count(text, [foreign.code, 'INVENTED01']), 0)
}

/** Addresses of files: they hold as long as they would be given. */
async function keepAddresses(ground: Ground, world: ReachWorld): Promise<void> {
  const { adminToken, server } = ground
  const { client } = server
  const status = async (address: string) => {
    const { pathname, search } = new URL(address)
    const answer = await fetch(server.url + pathname + search)
    await answer.arrayBuffer()
    return answer.status
  }
  const leaver = await world.userOf(world.without, [readFirmwareJson.access])
  const kept = await makePackage(ground, world, adminToken, '1.2')
  const gone = await makePackage(ground, world, adminToken, '1.1')
  const jsonOf = async (versionId: string, token: string) =>
    (await client.call(readFirmwareJson, { versionId }, token)).data.url
  const { annexUrl } = await uploadAnnex(client, adminToken)
  const advertisement = await client.call(
    createAdvertisement,
    advertisementOf(annexUrl, { codes: world.cabinets.map(({ code }) => code) }),
    adminToken,
  )
  const shown = () => world.cabinets[0]?.commands.find((command) => 'advertisementId' in command)
  await becomesTrue(async () => shown()?.url !== undefined)
  const addresses = {
    'of a deleted advertisement': shown()?.url ?? '',
    'of a deleted package': await jsonOf(gone.id, adminToken),
    'of a user who was deleted': await jsonOf(kept.id, leaver.token),
  }
  const before = await Promise.all(Object.values(addresses).map(status))
  await client.call(deleteAdvertisement, { id: advertisement.data.id }, adminToken)
  await client.call(deleteFirmware, { id: gone.id }, adminToken)
  await client.call(deleteUser, { id: String(leaver.id) }, adminToken)
  for (const [n, [whose, address]] of Object.entries(addresses).entries()) {
    const after = await status(address)
    ground.isTrue(
      `the address ${whose} ends`,
      before[n] === 200 && after === 403,
      `${before[n]}, then ${after}`,
    )
  }
}

const nameOf = ({ board }: ReachWorld, version: string) => `${board.code}_EC_MASTER_V${version}_R.bin`
const formOf = (upload: Uploaded, isAutoUpgrade: 0 | 1) => ({ ...upload, remark, isAutoUpgrade })

async function makePackage(
  { server: { client } }: Ground,
  world: ReachWorld,
  token: string,
  version: string,
  { isAuto = 0 as 0 | 1, bytes = Buffer.from(`image ${version}`) } = {},
) {
  const upload = await uploadPackage(client, token, nameOf(world, version), { bytes })
  const answer = await client.call(insertFirmware, formOf(upload, isAuto), token)
  if (answer.code !== 200) throw new Error(answer.message)
  return { id: answer.data.id, upload }
}

const accepted = (answers: readonly { code: number }[]) => answers.filter(({ code }) => code === 200).length
const count = (text: string, words: readonly string[]) => words.filter((word) => text.includes(word)).length

/** Waits until it is true, or for as long as the patience lasts: the bounds then say what is missing. */
async function becomesTrue(look: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + patienceMs
  while (!(await look()) && Date.now() < giveUpAt) await delay(500)
}
