import { expect, test } from 'vitest'
import { firmwareView, softwareVersionView } from './packageViews.ts'

// proves: screen 9; screen 11
test('each of the two pages uses its own calls for listing, uploading, adding, changing, deleting and the JSON', () => {
  const callsOf = ({
    list,
    upload,
    insert,
    update,
    remove,
    json,
  }: typeof firmwareView | typeof softwareVersionView) =>
    [list, upload, insert, update, remove, json].map(({ methods: [method], path }) => `${method} ${path}`)
  expect(callsOf(firmwareView)).toEqual([
    'POST /firmware/list',
    'POST /firmware/upload',
    'POST /firmware/insert',
    'POST /firmware/update/:id',
    'POST /firmware/delete',
    'GET /firmware/json',
  ])
  expect(callsOf(softwareVersionView)).toEqual([
    'POST /softwareVersion/list',
    'POST /softwareVersion/upload',
    'POST /softwareVersion/insert',
    'POST /softwareVersion/update/:id',
    'DELETE /softwareVersion/delete',
    'GET /equip/version/upgrade/json',
  ])
})
