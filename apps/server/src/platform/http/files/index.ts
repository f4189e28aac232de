export { mountDeviceFiles } from './device-files.ts'
export { mountDeviceUploads } from './device-uploads.ts'
export { fileSecurityPolicy, sendKeptFile } from './kept-file.ts'
export { rangeOf } from './range.ts'
export { spooled } from './spool.ts'
export {
  acceptUploads,
  openUploadDirectory,
  receiveForTheCall,
  receiveToKeep,
  receiveUpload,
  type Upload,
} from './uploads.ts'
