// The build of the console, and its layers of chunks.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { shell } from './shell/build.ts'
import { english } from './shell/english.ts'

/**
 * The files that the first page runs nearly all of say so: V8 then compiles all of their functions at once and beside the
 * main thread, while they come in, in place of one by one on it when each is first called. Other browsers read a comment.
 * V8 takes it from the first line alone, where the bundler's `postBanner` would come after Vite's list of files.
 */
const compiledOnLoad: Plugin = {
  name: 'voltkeep-compiled-on-load',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type === 'chunk' && ['index', 'console', 'list', 'devices'].includes(output.name))
          output.code = `//# allFunctionsCalledOnLoad\n${output.code}`
      }
    },
  },
}

/**
 * What is always needed together is one file: without this the modules that pages share fall into some
 * hundred chunks. A layer has its roots and everything that they import; what an earlier layer has, a later one does not
 * repeat.
 */
const layers = [
  {
    // Before any page: router, layout, query client, and the small things that every page shows.
    name: 'console',
    roots: [
      'app/Console.tsx',
      'app/layout/Shell.tsx',
      'lib/wire/reading.ts',
      'ui/EmptyState.tsx',
      'ui/marks/LevelTag.tsx',
      'ui/PageLink.tsx',
      'ui/time/RelativeTime.tsx',
    ],
  },
  // With the first list: a list, and what most of them have. A file of each would be thirty more to wait for.
  {
    name: 'list',
    roots: [
      'ui/list/ListPage.tsx',
      'ui/list/CodesFilter.tsx',
      'ui/list/ExportButton.tsx',
      'ui/list/filters.tsx',
      'ui/list/useLastMonth.ts',
      'ui/list/useList.ts',
      'ui/list/useLiveList.ts',
      'ui/list/useSelection.ts',
      'ui/choices/filters.tsx',
      'ui/choices/linked.ts',
      'ui/DeviceCode.tsx',
      'ui/marks/Nothing.tsx',
      'ui/marks/OnlineTag.tsx',
      'ui/Permitted.tsx',
      'ui/Tabs.tsx',
      'ui/detail/useOpenRow.ts',
      // Of alarms and devices, which stand on many pages.
      'features/alarms/AlarmPage.tsx',
      'features/alarms/alarms.columns.tsx',
      '../../../packages/contract/src/alarms.ts',
      '../../../packages/contract/src/devices.ts',
    ],
  },
  // Small things of the list of devices and of many other pages, which would come with the controls or one by one.
  {
    name: 'common',
    roots: [
      'ui/buttons/adding.tsx',
      'ui/detail/useWalk.ts',
      '../../../node_modules/@ant-design/icons/es/icons/DownloadOutlined.js',
      '../../../node_modules/@ant-design/icons/es/icons/EllipsisOutlined.js',
      '../../../packages/contract/src/actions.ts',
      '../../../packages/contract/src/deviceImport.ts',
    ],
  },
  // When the first list stands: what its filters and its pager are made of.
  {
    name: 'controls',
    roots: [
      'ui/list/filter/controls.tsx',
      // All that the calendar, the trees and a detail share with dialogs: without it they bring the dialogs along.
      '../../../node_modules/antd/es/style/roundedArrow.js',
      '../../../node_modules/antd/es/style/motion/collapse.js',
      '../../../node_modules/antd/es/skeleton/index.js',
    ],
  },
  // With the first dialog.
  { name: 'dialog', roots: ['ui/form/FormDialog.tsx', 'ui/form/Field.tsx'] },
  // The list of devices, which is opened as often as the alarms: one file in place of ten.
  { name: 'devices', roots: ['features/devices/DevicePage.tsx'] },
]

/** As the sign-in page shows it. */
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  version: string
}

/** Of two builds, one a language; also of `npm run dev`. */
const isEnglish = process.env.WEB_LANGUAGE === 'en'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [...(isEnglish ? [english()] : []), react(), shell(), compiledOnLoad],
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(version) },
  server: {
    port: 5173,
    proxy: { '/api': { target: process.env.API_URL ?? 'http://127.0.0.1:8080', changeOrigin: false } },
  },
  build: {
    target: 'es2023',
    outDir: isEnglish ? 'dist.en' : 'dist',
    emptyOutDir: true,
    manifest: true,
    // No inline data: the page's policy and the cache treat every file alike.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: layers.length + 1 },
            ...layers.map(({ name, roots }, at) => ({
              name,
              test: (id: string) => roots.some((root) => id === join(import.meta.dirname, 'src', root)),
              priority: layers.length - at,
            })),
          ],
        },
      },
    },
  },
})
