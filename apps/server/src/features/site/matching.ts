// Which packages are recommended, from the door of firmware: queries do not import other features.
export { isRecommended } from '../firmware/index.ts'
