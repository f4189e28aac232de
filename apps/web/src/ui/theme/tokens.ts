// Every colour, size and face of the product. This file becomes the CSS variables (`--vk-…`, made at
// build time) and the antd theme; no page writes a colour of its own.

const light = {
  /** Backgrounds; the sidebar and table heads are sunken, dialogs raised. */
  canvas: '#ffffff',
  sunken: '#f6f7f9',
  raised: '#ffffff',
  hover: '#f1f3f6',
  selected: '#e9f0fd',
  line: '#e4e7eb',
  /** Edges of controls. */
  lineStrong: '#c3c9d2',
  text: '#181c22',
  textSecondary: '#454d59',
  textMuted: '#646c78',
  /** The one colour of everything that can be pressed: as a fill, as text, as a tint. */
  brand: '#2257d0',
  brandHover: '#1a48b3',
  brandText: '#2257d0',
  onBrand: '#ffffff',
  /** Alarm levels: critical, major, minor, warning, and one the dictionary does not know. */
  level1: '#b8141f',
  level2: '#b44a02',
  level3: '#7d6000',
  level4: '#0b6b80',
  level0: '#646c78',
  level1Fill: '#d11a2a',
  level2Fill: '#ee7a15',
  level3Fill: '#f2bd19',
  level4Fill: '#7cc3d1',
  level0Fill: '#b9c0ca',
  level1Soft: '#fdecec',
  online: '#157347',
  onlineFill: '#1fa463',
  offline: '#646c78',
  offlineFill: '#aab2bd',
  /** A cabinet's indicator lamps, and the character that stands in one. */
  lampRed: '#d92632',
  lampGreen: '#35c47c',
  lampBlue: '#2563eb',
  lampYellow: '#f5c71f',
  onDeepLamp: '#ffffff',
  onBrightLamp: '#171a10',
  /** Curves of a chart: they differ in hue and lightness; beyond six they are dashed. */
  curve1: '#2257d0',
  curve2: '#b44a02',
  curve3: '#157347',
  curve4: '#7a3fb0',
  curve5: '#0b7285',
  curve6: '#9c1f5c',
  danger: '#c2182a',
  dangerHover: '#a01221',
  dangerSoft: '#fdecec',
  flash: '#fff3c9',
  shadow: '0 1px 2px rgb(16 24 40 / 6%), 0 8px 24px rgb(16 24 40 / 12%)',
  shade: 'rgb(16 20 26 / 40%)',
  /** The shadow of fixed columns on those that scroll below them. */
  scrollShadow: 'rgb(16 24 40 / 18%)',
}

export type Colours = typeof light

const dark: Colours = {
  canvas: '#121519',
  sunken: '#0d0f12',
  raised: '#1a1e24',
  hover: '#1d2229',
  selected: '#1a2a47',
  line: '#272d35',
  lineStrong: '#434b57',
  text: '#e6e9ed',
  textSecondary: '#b6bdc7',
  textMuted: '#8f98a5',
  brand: '#2f68e0',
  brandHover: '#2a5ccb',
  brandText: '#82adff',
  onBrand: '#ffffff',
  level1: '#ff7b7f',
  level2: '#ffa25c',
  level3: '#e8c14a',
  level4: '#6fc9da',
  level0: '#8f98a5',
  level1Fill: '#f0434c',
  level2Fill: '#f08a2c',
  level3Fill: '#d9b23a',
  level4Fill: '#3f8c9b',
  level0Fill: '#59616d',
  level1Soft: '#3a1a1d',
  online: '#4fca8c',
  onlineFill: '#2fa76b',
  offline: '#8f98a5',
  offlineFill: '#59616d',
  lampRed: '#d92632',
  lampGreen: '#35c47c',
  lampBlue: '#2f6bef',
  lampYellow: '#f5c71f',
  onDeepLamp: '#ffffff',
  onBrightLamp: '#171a10',
  curve1: '#82adff',
  curve2: '#ffa25c',
  curve3: '#4fca8c',
  curve4: '#c59bff',
  curve5: '#6fc9da',
  curve6: '#ff8fc0',
  danger: '#ff7b7f',
  dangerHover: '#ff9a9d',
  dangerSoft: '#3a1a1d',
  flash: '#3b3413',
  shadow: '0 1px 2px rgb(0 0 0 / 40%), 0 8px 24px rgb(0 0 0 / 50%)',
  shade: 'rgb(0 0 0 / 60%)',
  scrollShadow: 'rgb(0 0 0 / 70%)',
}

export const colours = { light, dark }

export const faces = {
  sans: "-apple-system, BlinkMacSystemFont, 'Segoe UI', 'PingFang SC', 'HarmonyOS Sans SC', 'MiSans', 'Hiragino Sans GB', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC', sans-serif",
  mono: "ui-monospace, 'SF Mono', 'Cascadia Mono', Consolas, 'Roboto Mono', 'DejaVu Sans Mono', 'Noto Sans Mono', monospace",
}

export const sizes = {
  text: 13,
  textTouch: 14,
  textLarge: 16,
  radius: 4,
  control: 30,
  /** A finger's width. */
  controlTouch: 40,
  row: 38,
  rowCompact: 32,
  sidebar: 240,
  topBar: 48,
  dialog: 520,
}

function kebab(name: string): string {
  return name.replace(/([A-Z])/g, '-$1').toLowerCase()
}

function declarations(of: Colours): string {
  return Object.entries(of)
    .map(([name, value]) => `--vk-${kebab(name)}:${value};`)
    .join('')
}

/** The style sheet of all variables. Dark where it is chosen, or the system's and nothing is chosen. */
export function variablesStyle(): string {
  const plain = [
    `--vk-sans:${faces.sans};`,
    `--vk-mono:${faces.mono};`,
    ...Object.entries(sizes).map(([name, px]) => `--vk-${kebab(name)}:${px}px;`),
  ].join('')
  return [
    `:root{${plain}${declarations(light)}color-scheme:light;}`,
    `:root[data-theme='dark']{${declarations(dark)}color-scheme:dark;}`,
    `@media (prefers-color-scheme:dark){:root:not([data-theme]){${declarations(dark)}color-scheme:dark;}}`,
  ].join('\n')
}
