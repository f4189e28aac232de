/// <reference types="vite/client" />

// antd types its locales as CommonJS; the module that is bundled is not.
declare module 'antd/es/locale/zh_CN.js' {
  const locale: import('antd/es/locale/index.js').Locale
  export default locale
}
