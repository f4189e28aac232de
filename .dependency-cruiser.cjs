// The doors of docs/architecture.md, one rule a door. scripts/doors.mjs runs them and plants a
// violation of every rule, which proves that each can fail.

const test = '\\.test\\.tsx?$'
const server = '^apps/server/src'
const feature = `${server}/features`
const platform = `${server}/platform`
const contract = '^packages/contract/src'

/** The platform's rooms, and the rooms that each may import; feature.ts is above all of them. */
const rooms = {
  calls: [],
  process: ['calls'],
  database: ['calls', 'process'],
  files: ['calls', 'process', 'database'],
  devices: ['calls', 'process', 'database'],
  http: ['calls', 'process', 'database', 'files'],
}

/**
 * Features with rooms: what a room imports of its feature. The files at the feature's root are above all rooms, but for
 * what is `below`.
 */
const roomsOf = {
  upgrades: {
    gate: { rooms: [], below: [] },
    targets: { rooms: [], below: ['matching', 'transitions\\.queries'] },
    stages: { rooms: ['gate', 'targets'], below: ['transitions\\.queries'] },
    consent: { rooms: ['targets'], below: [] },
    tasks: { rooms: ['consent', 'gate', 'stages', 'targets'], below: ['matching', 'transitions\\.queries'] },
    automatic: { rooms: ['targets', 'tasks'], below: ['matching'] },
  },
  'parameter-batches': { targets: { rooms: [], below: [] } },
  'log-extraction': { levels: { rooms: [], below: [] } },
}
const oneOf = (names) => (names.length > 0 ? `(${names.join('|')})` : '(?!)')

/** Packages by name, wherever node_modules is. */
const packages = (...names) => `(^|/)node_modules/(${names.join('|')})/`

const forbidden = [
  {
    name: 'contract-depends-on-zod-only',
    comment: 'The contract runs in the browser, the server and the simulator: it may import zod only.',
    from: { path: contract, pathNot: test },
    to: { pathNot: [contract, packages('zod')] },
  },
  {
    name: 'platform-knows-no-feature',
    comment:
      'The platform imports the contract and npm packages, never what is built on it; and the language of the terminal, which the scripts have too.',
    from: { path: `${server}/platform/`, pathNot: test },
    to: {
      path: '^(apps|scripts|e2e|bench)/',
      pathNot: [`${server}/platform/`, '/node_modules/', '^scripts/language[.]mjs$'],
    },
  },
  ...Object.entries(rooms).map(([room, below]) => ({
    name: `platform-${room}-imports-downward`,
    comment: `Of the platform, ${room}/ imports ${below.length > 0 ? `${below.join(', ')} and ` : ''}itself.`,
    from: { path: `${platform}/${room}/`, pathNot: test },
    to: { path: `${platform}/`, pathNot: `${platform}/(${[room, ...below].join('|')})/` },
  })),
  {
    name: 'platform-stands-in-rooms',
    comment:
      'Nothing but feature.ts stands loose at the root of the platform, and a new room has its place in the order.',
    from: {},
    to: { path: `${platform}/`, pathNot: `${platform}/(feature\\.ts$|(${Object.keys(rooms).join('|')})/)` },
  },
  {
    name: 'http-rooms-are-entered-by-the-door',
    comment: 'A room of platform/http is used through its index.ts alone.',
    from: { pathNot: [`${platform}/http/[^/]+/`, test] },
    to: { path: `${platform}/http/[^/]+/`, pathNot: '/index\\.ts$' },
  },
  {
    name: 'http-rooms-meet-at-the-door',
    comment: "A room of platform/http uses another one through that one's index.ts alone.",
    from: { path: `${platform}/http/([^/]+)/`, pathNot: test },
    to: { path: `${platform}/http/[^/]+/`, pathNot: [`${platform}/http/$1/`, '/index\\.ts$'] },
  },
  {
    name: 'domain-stands-on-the-platform',
    comment:
      'domain/ is what several features share: it imports platform, contract and npm, never a feature.',
    from: { path: `${server}/domain/`, pathNot: test },
    to: { path: '^(apps|scripts|e2e|bench)/', pathNot: `${server}/(platform|domain)/` },
  },
  {
    name: 'app-reads-the-list-of-features',
    comment: 'app.ts knows no noun: only who calls, refused writes and the first administrator, by name.',
    from: { path: `${server}/app\\.ts$` },
    to: { path: `${feature}/(?!(sessions|operations|users)/index\\.ts$)` },
  },
  {
    name: 'features-meet-at-the-door',
    comment: "A feature uses another feature through that one's index.ts alone.",
    from: { path: `${feature}/([^/]+)/` },
    to: { path: `${feature}/[^/]+/`, pathNot: [`${feature}/$1/`, `${feature}/[^/]+/index\\.ts$`] },
  },
  ...Object.entries(roomsOf).flatMap(([name, rooms]) => {
    const whole = `${feature}/${name}`
    return [
      {
        name: `${name}-rooms-are-entered-by-the-door`,
        comment: `A room of ${name} is used through its index.ts alone, and a new one has its place in the order.`,
        from: { path: `${server}/`, pathNot: [`${whole}/[^/]+/`, test] },
        to: {
          path: `${whole}/[^/]+/`,
          pathNot: `${whole}/${oneOf(Object.keys(rooms))}/index\\.ts$`,
        },
      },
      ...Object.entries(rooms).map(([room, may]) => ({
        name: `${name}-${room}-imports-downward`,
        comment: `Of ${name}, ${room}/ imports ${may.rooms.length > 0 ? `the doors of ${may.rooms.join(', ')} and ` : ''}itself.`,
        from: { path: `${whole}/${room}/`, pathNot: test },
        to: {
          path: `${whole}/`,
          pathNot: [
            `${whole}/${room}/`,
            `${whole}/${oneOf(may.rooms)}/index\\.ts$`,
            `${whole}/${oneOf(may.below)}\\.ts$`,
          ],
        },
      })),
    ]
  }),
  {
    name: 'features-stand-on-platform-and-domain',
    comment: 'What composes features (app.ts, main.ts, seeds) is not imported by them.',
    from: { path: `${feature}/`, pathNot: test },
    to: { path: '^(apps|scripts|e2e|bench)/', pathNot: [`${feature}/`, `${server}/(platform|domain)/`] },
  },
  {
    name: 'routes-only-pass-on',
    comment:
      'Routes import their own service, or the room that has it, the contract and platform/http: no rule, no SQL.',
    from: { path: `${feature}/([^/]+)/.+\\.routes\\.ts$` },
    to: {
      pathNot: [
        `${feature}/$1/(.+\\.service|[^/]+/index)\\.ts$`,
        contract,
        `${server}/platform/http/`,
        '^node:',
      ],
      dependencyTypesNot: ['core'],
    },
  },
  {
    name: 'services-know-no-fastify-and-no-kysely',
    comment: 'A service holds rules and transactions; HTTP is in routes, SQL in queries.',
    from: { path: `${feature}/.+\\.service\\.ts$` },
    to: { path: [packages('fastify', '@fastify/[^/]+', 'kysely', 'pg'), '\\.(routes|intake|jobs)\\.ts$'] },
  },
  {
    name: 'queries-are-sql-only',
    comment: 'Queries import Kysely, the database and domain/: never a service, nor another feature.',
    from: { path: `${feature}/([^/]+)/.+\\.queries\\.ts$` },
    to: {
      path: [`${feature}/`, packages('fastify', '@fastify/[^/]+')],
      pathNot: [`${feature}/$1/(?!.*\\.(service|routes|intake|jobs)\\.ts$)`],
    },
  },
  {
    name: 'web-features-do-not-meet',
    comment: 'A page of the web imports ui, lib, the contract and its own folder; app/ composes them.',
    from: { path: '^apps/web/src/features/([^/]+)/', pathNot: test },
    to: { path: '^apps/', pathNot: ['^apps/web/src/(ui|lib)/', '^apps/web/src/features/$1/'] },
  },
  {
    name: 'web-patterns-know-no-feature',
    comment: 'ui/ and lib/ are what features are made of.',
    from: { path: '^apps/web/src/(ui|lib)/', pathNot: test },
    to: { path: '^apps/', pathNot: '^apps/web/src/(ui|lib)/' },
  },
  {
    name: 'web-lib-knows-no-ui',
    comment: 'lib/ has no pictures: it is usable without our patterns.',
    from: { path: '^apps/web/src/lib/', pathNot: test },
    to: { path: '^apps/web/src/ui/' },
  },
  {
    name: 'web-shares-the-contract-only',
    comment: 'The web knows the server through the contract.',
    from: { path: '^apps/web/src/', pathNot: test },
    to: { path: '^apps/(server|simulator)/' },
  },
  {
    name: 'simulator-is-a-stranger',
    comment:
      "The protocol's second implementation: contract, an MQTT client and the terminal's language, never server code.",
    from: { path: '^apps/simulator/src/', pathNot: test },
    to: {
      pathNot: [
        '^apps/simulator/src/',
        '^scripts/language\\.mjs$',
        contract,
        packages('mqtt', 'mqtt-packet', 'zod'),
      ],
      dependencyTypesNot: ['core'],
    },
  },
  {
    name: 'server-shares-the-contract-only',
    comment: 'The server knows web and simulator through the contract and the wire. Tests use its device.',
    from: { path: `${server}/`, pathNot: test },
    to: { path: '^apps/(web|simulator)/' },
  },
  {
    name: 'product-imports-no-test',
    comment: 'What runs in the product does not import what tests it, nor what writes documents.',
    from: { path: '^(apps|packages)/', pathNot: [test, '^(apps|packages)/[^/]+/(test|documents)/'] },
    to: {
      path: [
        test,
        '^(apps|packages)/[^/]+/(test|documents)/',
        '^e2e/',
        '^bench/',
        packages('vitest', 'fast-check'),
      ],
    },
  },
  {
    name: 'no-cycles',
    comment: 'Two files that need each other are one, or a third is missing.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-dangling-import',
    comment: 'An import that resolves to nothing would pass every other rule.',
    from: {},
    to: { couldNotResolve: true },
  },
]

module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    // Type imports count: who needs another's types needs him.
    tsPreCompilationDeps: true,
    // TypeScript 7 has no parser that dependency-cruiser could use.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // Anchored: npm packages live in folders called dist, too. Vite's own modules have no file.
    exclude: { path: ['^(apps|packages)/[^/]+/dist/', '^virtual:'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.css', '.json'],
    },
  },
}
