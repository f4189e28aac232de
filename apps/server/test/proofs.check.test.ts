import { describe, expect, test } from 'vitest'
import type { NounProofs } from './noun-proofs.ts'
import { type Facts, factsOf, faultsOf, mountedIn, pagesIn, rendersForm } from './proofs.check.ts'

// The step `proofs` of npm test: a noun "vendors" with everything, from which each test takes something away.

const one = (name: string, isWrite: boolean, kind: 'page' | 'nothing', call = `POST /vendor/${name}`) => ({
  name,
  endpoint: {
    methods: [call.split(' ')[0] as 'GET'] as const,
    path: call.split(' ')[1] ?? '',
    isWrite,
    reply: (kind === 'page'
      ? { kind, row: {} }
      : { kind }) as Facts['endpoints'][number]['endpoint']['reply'],
  },
})

const vendors: Required<NounProofs> = {
  references: { listVendors: 'shared', insertVendor: 'shared', updateVendor: 'shared' },
  scope: { listVendors: { model: 'everyone sees vendors' } },
  versions: { updateVendor: 'takes none' },
  screens: [['/reference/vendor?tab=all', {}]],
  forms: {
    'a new vendor': {
      of: 'maintenanceVendors/VendorDialog',
      path: '',
      open: async () => {},
      problems: [],
      sends: '',
    },
  },
  additions: { insertVendor: 'kept', updateVendor: 'kept' },
}

const whole: Facts = {
  endpoints: [
    one('listVendors', false, 'page', 'GET /vendor/page/:kind'),
    one('insertVendor', true, 'nothing'),
    one('updateVendor', true, 'nothing'),
    one('readHealth', false, 'nothing', 'GET /health'),
  ],
  features: ['maintenance-vendors'],
  mounted: [
    ...['listVendors', 'insertVendor', 'updateVendor'].map((endpoint) => ({
      feature: 'maintenance-vendors',
      endpoint,
      calls: [endpoint],
    })),
    { feature: 'platform', endpoint: 'readHealth', calls: [] },
  ],
  nouns: {
    'maintenance-vendors': vendors,
    platform: { references: { readHealth: 'shared' } },
  },
  pages: [{ url: 'reference/vendor', feature: 'maintenance-vendors' }],
  forms: ['maintenanceVendors/VendorDialog'],
  specified: new Set(['GET /vendor/page/{kind}', 'GET /health']),
}

const file = 'apps/server/test/proofs/maintenance-vendors.ts'
const withProofs = (proofs: Partial<NounProofs>): Facts => ({
  ...whole,
  nouns: { ...whole.nouns, 'maintenance-vendors': { ...vendors, ...proofs } },
})

test('a noun without proofs is told all that it lacks', () => {
  const facts = { ...whole, nouns: { platform: whole.nouns.platform ?? {} } }
  expect(faultsOf(facts)).toEqual([
    `maintenance-vendors: the feature has no proofs: write ${file}`,
    `maintenance-vendors: listVendors has no references: add it to \`references\` of ${file}`,
    `maintenance-vendors: listVendors has no scope: add it to \`scope\` of ${file}`,
    `maintenance-vendors: insertVendor has no references: add it to \`references\` of ${file}`,
    `maintenance-vendors: insertVendor has no reason, and the specification no POST /vendor/insertVendor: add it to \`additions\` of ${file}`,
    `maintenance-vendors: updateVendor has no references: add it to \`references\` of ${file}`,
    `maintenance-vendors: updateVendor has no version: add it to \`versions\` of ${file}`,
    `maintenance-vendors: updateVendor has no reason, and the specification no POST /vendor/updateVendor: add it to \`additions\` of ${file}`,
    `maintenance-vendors: the page reference/vendor is walked by no test: add it to \`screens\` of ${file}`,
    `maintenance-vendors: the form maintenanceVendors/VendorDialog is tried by no test: add it to \`forms\` of ${file}`,
  ])
})

test('a noun that has everything has no fault', () => {
  expect(faultsOf(whole)).toEqual([])
})

describe('names the noun, what it lacks and the file:', () => {
  const { listVendors: _, ...otherReferences } = vendors.references
  const { insertVendor: __, ...otherAdditions } = vendors.additions
  test.each<[what: string, facts: Facts, fault: string]>([
    [
      'references',
      withProofs({ references: otherReferences }),
      `maintenance-vendors: listVendors has no references: add it to \`references\` of ${file}`,
    ],
    [
      'the scope of a paged list',
      withProofs({ scope: {} }),
      `maintenance-vendors: listVendors has no scope: add it to \`scope\` of ${file}`,
    ],
    [
      'the version of an update',
      withProofs({ versions: {} }),
      `maintenance-vendors: updateVendor has no version: add it to \`versions\` of ${file}`,
    ],
    [
      'the reason for a call',
      withProofs({ additions: otherAdditions }),
      `maintenance-vendors: insertVendor has no reason, and the specification no POST /vendor/insertVendor: add it to \`additions\` of ${file}`,
    ],
    [
      'the walk of a page',
      withProofs({ screens: [] }),
      `maintenance-vendors: the page reference/vendor is walked by no test: add it to \`screens\` of ${file}`,
    ],
    [
      'the test of a form',
      withProofs({ forms: {} }),
      `maintenance-vendors: the form maintenanceVendors/VendorDialog is tried by no test: add it to \`forms\` of ${file}`,
    ],
    [
      'a call of the platform',
      { ...whole, nouns: { 'maintenance-vendors': vendors, platform: {} } },
      'platform: readHealth has no references: add it to `references` of apps/server/test/proofs/platform.ts',
    ],
    [
      'a page without a place in the menu',
      { ...whole, pages: [...whole.pages, { url: 'reference/lost', feature: null }] },
      'reference/lost: no feature has the page in its seeds, so nobody comes to it',
    ],
    [
      'a route',
      { ...whole, endpoints: [...whole.endpoints, one('readVendor', false, 'nothing')] },
      'readVendor: no feature mounts it: add it to the routes of one, and to its apps/server/test/proofs/<feature>.ts',
    ],
    [
      'another word in the service',
      {
        ...whole,
        mounted: whole.mounted.map((mount) =>
          mount.endpoint === 'listVendors' ? { ...mount, calls: ['listAll'] } : mount,
        ),
      },
      "maintenance-vendors: listVendors is served by listAll: call the service's method listVendors",
    ],
  ])('%s', (_what, facts, fault) => {
    expect(faultsOf(facts)).toEqual([fault])
  })
})

describe('names what is proved and is not there:', () => {
  test.each<[what: string, facts: Facts, fault: string]>([
    [
      'a call that is gone',
      withProofs({ references: { ...vendors.references, listVendor: 'shared' } }),
      `maintenance-vendors: listVendor is no such call of this noun: take it out of \`references\` of ${file}`,
    ],
    [
      'a call of another noun',
      withProofs({ additions: { ...vendors.additions, readHealth: 'kept' } }),
      `maintenance-vendors: readHealth is no such call of this noun: take it out of \`additions\` of ${file}`,
    ],
    [
      'the version of what adds',
      withProofs({ versions: { ...vendors.versions, insertVendor: 'adds' } }),
      `maintenance-vendors: insertVendor is no such call of this noun: take it out of \`versions\` of ${file}`,
    ],
    [
      'a reason for what is specified',
      withProofs({ additions: { ...vendors.additions, listVendors: 'kept' } }),
      `maintenance-vendors: listVendors is in the specification: take it out of \`additions\` of ${file}`,
    ],
    [
      'a noun without a feature',
      { ...whole, nouns: { ...whole.nouns, lost: {} } },
      'lost: there is no such feature: delete apps/server/test/proofs/lost.ts',
    ],
  ])('%s', (_what, facts, fault) => {
    expect(faultsOf(facts)).toEqual([fault])
  })

  test('a component that renders no form', () => {
    expect(faultsOf({ ...whole, forms: [] })).toEqual([
      `maintenance-vendors: “a new vendor” is of maintenanceVendors/VendorDialog, which renders no form: correct it in ${file}`,
    ])
  })
})

test('what the sources say is read', () => {
  const text = [
    '  api.mount(listVendors, ({ input }) => vendors.listVendors(input))',
    '  api.mount(readVendor, async ({ input }) => {',
    '    cookies.clear()',
    '    return vendors.readVendor(input)',
    '  })',
  ].join('\n')
  expect(mountedIn(text, 'vendors')).toEqual([
    { feature: 'vendors', endpoint: 'listVendors', calls: ['listVendors'] },
    { feature: 'vendors', endpoint: 'readVendor', calls: ['clear', 'readVendor'] },
  ])
  expect(pagesIn("  'reference/vendor': () => import('../features/vendors/VendorPage.tsx'),")).toEqual([
    'reference/vendor',
  ])
  expect([rendersForm('<FormDialog\n'), rendersForm('<FormDialogs />')]).toEqual([true, false])
})

test('the repository has no fault, and was read', () => {
  const facts = factsOf()
  expect(faultsOf(facts)).toEqual([])
  // Far fewer mean that files are no longer found.
  expect(facts.features.length).toBeGreaterThan(25)
  expect(facts.mounted.length).toBeGreaterThan(180)
  expect(facts.pages.length).toBeGreaterThan(20)
  expect(facts.forms.length).toBeGreaterThan(15)
  expect(facts.specified.size).toBeGreaterThan(100)
})
