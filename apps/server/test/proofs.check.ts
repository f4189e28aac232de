// Compares the proofs of the nouns with the contract, the routes and the web: what is not proved, and what is proved
// and is not there. It reads source files as text and needs no database, so it can say so before any test runs.
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Endpoint } from '@voltkeep/contract'
import list from '../../../docs/coverage.items.json' with { type: 'json' }
import { callOf, endpoints } from './endpoints.ts'
import type { NounProofs } from './noun-proofs.ts'
import { nouns } from './proofs.ts'

const root = join(import.meta.dirname, '../../..')
const folder = 'apps/server/test/proofs'

export interface Mounted {
  /** Or `platform`. */
  feature: string
  endpoint: string
  /** The methods that its route calls. */
  calls: readonly string[]
}

export interface Facts {
  endpoints: readonly { name: string; endpoint: Pick<Endpoint, 'methods' | 'path' | 'isWrite' | 'reply'> }[]
  /** The folders of the features. */
  features: readonly string[]
  mounted: readonly Mounted[]
  nouns: Readonly<Record<string, NounProofs>>
  /** The web's pages, with the feature that has them in its seeds. */
  pages: readonly { url: string; feature: string | null }[]
  /** The components that render a form, below apps/web/src/features. */
  forms: readonly string[]
  /** The calls of the specification, as `METHOD /path`. */
  specified: ReadonlySet<string>
}

/** One line a fault: the noun, what it lacks or has too many of, and the file to edit. */
export function faultsOf(facts: Facts): string[] {
  return [
    ...missingNouns(facts),
    ...facts.endpoints.flatMap((one) => faultsOfCall(facts, one)),
    ...Object.entries(facts.nouns).flatMap(([noun, proofs]) => strangersIn(facts, noun, proofs)),
    ...unwalkedPages(facts),
    ...untriedForms(facts),
    ...otherWords(facts.mounted),
  ]
}

const fileOf = (noun: string) => `${folder}/${noun}.ts`
const platform = 'platform'

function missingNouns({ features, nouns }: Facts): string[] {
  return features
    .filter((feature) => !(feature in nouns))
    .map((feature) => `${feature}: the feature has no proofs: write ${fileOf(feature)}`)
}

const isChange = (name: string) => !/^(insert|delete)/.test(name)

function faultsOfCall(facts: Facts, { name, endpoint }: Facts['endpoints'][number]): string[] {
  const noun = nounOf(facts, name)
  if (noun === null)
    return [`${name}: no feature mounts it: add it to the routes of one, and to its ${folder}/<feature>.ts`]
  const proofs = facts.nouns[noun] ?? {}
  const faults: string[] = []
  const lacks = (what: string, field: keyof NounProofs) =>
    faults.push(`${noun}: ${name} has no ${what}: add it to \`${field}\` of ${fileOf(noun)}`)
  if (!has(proofs.references, name)) lacks('references', 'references')
  if (endpoint.reply.kind === 'page' && !has(proofs.scope, name)) lacks('scope', 'scope')
  if (endpoint.isWrite && isChange(name) && !has(proofs.versions, name)) lacks('version', 'versions')
  const isSpecified = endpoint.methods.some((method) =>
    facts.specified.has(callOf({ methods: [method], path: endpoint.path })),
  )
  if (!isSpecified && !has(proofs.additions, name))
    lacks(`reason, and the specification no ${callOf(endpoint)}`, 'additions')
  if (isSpecified && has(proofs.additions, name))
    faults.push(`${noun}: ${name} is in the specification: take it out of \`additions\` of ${fileOf(noun)}`)
  return faults
}

const has = (said: object | undefined, name: string) => said !== undefined && Object.hasOwn(said, name)
/** The feature that serves the call, or the platform. */
const nounOf = ({ mounted }: Facts, name: string) =>
  mounted.find(({ endpoint }) => endpoint === name)?.feature ?? null

/** What a noun says of calls, pages and components that it does not have. */
function strangersIn(facts: Facts, noun: string, proofs: NounProofs): string[] {
  const faults: string[] = []
  if (noun !== platform && !facts.features.includes(noun))
    faults.push(`${noun}: there is no such feature: delete ${fileOf(noun)}`)
  const own = new Map(
    facts.endpoints.filter(({ name }) => nounOf(facts, name) === noun).map((one) => [one.name, one.endpoint]),
  )
  const isOf = {
    references: () => true,
    scope: (_: string, { reply }: Pick<Endpoint, 'reply'>) => reply.kind === 'page',
    versions: (name: string, { isWrite }: Pick<Endpoint, 'isWrite'>) => isWrite && isChange(name),
    additions: () => true,
  }
  for (const field of Object.keys(isOf) as (keyof typeof isOf)[])
    for (const name of Object.keys(proofs[field] ?? {})) {
      const endpoint = own.get(name)
      if (!endpoint || !isOf[field](name, endpoint))
        faults.push(
          `${noun}: ${name} is no such call of this noun: take it out of \`${field}\` of ${fileOf(noun)}`,
        )
    }
  for (const [name, { of }] of Object.entries(proofs.forms ?? {}))
    if (!facts.forms.includes(of))
      faults.push(`${noun}: “${name}” is of ${of}, which renders no form: correct it in ${fileOf(noun)}`)
  return faults
}

function unwalkedPages({ pages, nouns }: Facts): string[] {
  const walked = new Set(
    Object.values(nouns)
      .flatMap(({ screens = [] }) => screens)
      .map(([path]) => path.replace(/^\/|\?.*$/g, '')),
  )
  return pages
    .filter(({ url }) => !walked.has(url))
    .map(({ url, feature }) =>
      feature === null
        ? `${url}: no feature has the page in its seeds, so nobody comes to it`
        : `${feature}: the page ${url} is walked by no test: add it to \`screens\` of ${fileOf(feature)}`,
    )
}

function untriedForms({ forms, nouns, features }: Facts): string[] {
  const tried = new Set(
    Object.values(nouns).flatMap((noun) => Object.values(noun.forms ?? {}).map(({ of }) => of)),
  )
  return forms
    .filter((form) => !tried.has(form))
    .map((form) => {
      const feature = form.replace(/\/.*/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      const noun = features.includes(feature) ? feature : '<noun>'
      return `${feature}: the form ${form} is tried by no test: add it to \`forms\` of ${fileOf(noun)}`
    })
}

/** Endpoints that another endpoint's method serves: two calls with one answer. */
const servedAlike: Readonly<Record<string, string>> = {
  listRoleNames: 'listRoles',
  updateUserOfBody: 'updateUser',
  deleteUserByUpdate: 'deleteUser',
  listSoftwareVersions: 'listFirmware',
  listAutoUpgradeVersions: 'listFirmware',
  uploadSoftwareVersion: 'uploadFirmware',
  insertSoftwareVersion: 'insertFirmware',
  updateSoftwareVersion: 'updateFirmware',
  deleteSoftwareVersion: 'deleteFirmware',
  countSoftwareVersionReach: 'countFirmwareReach',
  readFirmwareJson: 'readUpgradeJson',
}

/** The platform has no services; the others are being rebuilt, with words of their own until then. */
const withOwnWords = new Set([platform, 'upgrades', 'parameter-batches'])

/** Calls whose service has another word for them: a search for one word does not find the whole way. */
function otherWords(mounted: readonly Mounted[]): string[] {
  return mounted
    .filter(
      ({ feature, endpoint, calls }) =>
        !withOwnWords.has(feature) && !calls.includes(servedAlike[endpoint] ?? endpoint),
    )
    .map(
      ({ feature, endpoint, calls }) =>
        `${feature}: ${endpoint} is served by ${calls.join(', ') || 'no method'}: call the service's method ${servedAlike[endpoint] ?? endpoint}`,
    )
}

/** As the repository is. */
export function factsOf(): Facts {
  const features = join(root, 'apps/server/src/features')
  const routes = globSync(join(features, '*/**/*.routes.ts'))
  const health = readFileSync(join(root, 'apps/server/src/platform/http/health.ts'), 'utf8')
  const seeds = globSync(join(features, '*/**/{index,*.seeds}.ts')).map((path) => ({
    feature: featureOf(features, path),
    text: readFileSync(path, 'utf8'),
  }))
  const web = join(root, 'apps/web/src')
  return {
    endpoints,
    features: globSync(join(features, '*/index.ts')).map((path) => featureOf(features, path)),
    mounted: [
      ...routes.flatMap((path) => mountedIn(readFileSync(path, 'utf8'), featureOf(features, path))),
      ...mountedIn(health, platform),
    ],
    nouns,
    pages: pagesIn(readFileSync(join(web, 'app/pages.ts'), 'utf8')).map((url) => ({
      url,
      feature: seeds.find(({ text }) => text.includes(`'${url}'`))?.feature ?? null,
    })),
    forms: globSync(join(web, 'features/**/*.tsx'))
      .filter((path) => !path.endsWith('.test.tsx') && rendersForm(readFileSync(path, 'utf8')))
      .map((path) => posix(relative(join(web, 'features'), path)).replace(/\.tsx$/, '')),
    specified: new Set(
      Object.values<object>(list.items)
        .flatMap(Object.keys)
        .filter((item) => item.startsWith('call '))
        .map((item) => item.slice('call '.length)),
    ),
  }
}

const posix = (path: string) => path.replaceAll('\\', '/')
const featureOf = (features: string, path: string) => posix(relative(features, path)).split('/')[0] ?? ''

/** The calls that a source file mounts, each with the methods named up to the next. */
export function mountedIn(text: string, feature: string): Mounted[] {
  return text
    .split(/\bapi\.mount\(\s*/)
    .slice(1)
    .map((part) => ({
      feature,
      endpoint: /^\w+/.exec(part)?.[0] ?? '',
      calls: [...part.matchAll(/\b\w+\.(\w+)\(/g)].map(([, method = '']) => method),
    }))
}

/** The keys of the web's pages. */
export const pagesIn = (text: string) =>
  [...text.matchAll(/^ {2}'([^']+)': (?:\(\) =>|seldom\()/gm)].map(([, url = '']) => url)

/** Whether a component renders a form of its own. */
export const rendersForm = (text: string) => /<FormDialog\b/.test(text)
