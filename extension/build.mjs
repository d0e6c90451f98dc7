// Builds the bundles with esbuild alone: the widget module, the script of exported pages, and the prebuilt
// JupyterLab extension with a hand-written module-federation container. The same sources give the same
// bytes in any folder.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';

const here = import.meta.dirname;
const labOut = path.join(here, '../gradviz/labextension');
const widgetOut = path.join(here, '../gradviz/static');
const watch = process.argv.includes('--watch');

const common = {
  bundle: true,
  minify: !watch,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  absWorkingDir: here,
  logLevel: 'warning',
  loader: { '.css': 'text' }
};

/** Style sheets travel as text in the script: without comments and line breaks. */
const squeezeCss = {
  name: 'squeeze-css',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
      const source = await fs.promises.readFile(file, 'utf8');
      const { code } = await esbuild.transform(source, { loader: 'css', minify: !watch, target: 'es2022' });
      return { contents: code, loader: 'text' };
    });
  }
};

/** What a worker runs is bundled on its own and travels as text: no host has to serve a second file. */
const inlineWorker = {
  name: 'inline-worker',
  setup(build) {
    build.onResolve({ filter: /\?worker$/ }, ({ path: name, resolveDir }) => ({
      path: path.join(resolveDir, name.replace(/\?worker$/, '')), namespace: 'worker'
    }));
    build.onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path: file }) => {
      const { outputFiles } = await esbuild.build({ ...common, entryPoints: [file], format: 'iife', write: false, outdir: 'out' });
      return { contents: outputFiles[0].text, loader: 'text' };
    });
  }
};

/** JupyterLab's own modules are taken from the page; `used` collects their names. */
function sharedModules(used) {
  return {
    name: 'shared-modules',
    setup(build) {
      build.onResolve({ filter: /^(@jupyterlab|@lumino)\// }, ({ path: name }) => {
        used.add(name);
        return { path: name, namespace: 'shared' };
      });
      build.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path: name }) => ({
        contents: `module.exports = globalThis.__gradvizShared[${JSON.stringify(name)}];`,
        loader: 'js'
      }));
    }
  };
}

/** What JupyterLab loads first. It gets the shared modules, then the plugin. */
function container(plugin, names) {
  return `(() => {
const base = new URL('.', document.currentScript.src).href;
let scope;
const pick = async name => {
  const versions = scope[name];
  if (!versions) throw new Error('gradviz: this JupyterLab shares no ' + name);
  const keys = Object.keys(versions);
  const factory = await versions[keys.find(key => versions[key].loaded) ?? keys[0]].get();
  return factory();
};
const plugin = async () => {
  const shared = globalThis.__gradvizShared ??= {};
  for (const name of ${JSON.stringify(names)}) shared[name] ??= await pick(name);
  const module = await import(base + ${JSON.stringify(plugin)});
  // A plain object: JupyterLab writes to it, which a module namespace forbids.
  return () => ({ __esModule: true, default: module.default });
};
const modules = { './index': plugin, './extension': plugin };
(window._JUPYTERLAB ??= {}).gradviz = {
  init: given => { scope = given; },
  get: name => modules[name] ? modules[name]() : Promise.reject(new Error('gradviz has no module ' + name))
};
})();
`;
}

function hash(text) {
  return crypto.createHash('sha256').update(text).digest('hex').slice(0, 16);
}

async function buildWidget() {
  fs.mkdirSync(widgetOut, { recursive: true });
  await esbuild.build({
    ...common, entryPoints: ['src/widget/index.ts'], format: 'esm',
    outfile: path.join(widgetOut, 'widget.js'), plugins: [squeezeCss, inlineWorker]
  });
}

/** Goes into pages as it is, between tags: esbuild keeps `</script` out of it, a test keeps out the rest. */
async function buildPage() {
  fs.mkdirSync(widgetOut, { recursive: true });
  await esbuild.build({
    ...common, entryPoints: ['src/page/index.ts'], format: 'iife',
    outfile: path.join(widgetOut, 'page.js'), plugins: [squeezeCss, inlineWorker]
  });
}

async function buildLab() {
  const used = new Set();
  const result = await esbuild.build({
    ...common, entryPoints: ['src/lab/plugin.ts'], format: 'esm', write: false, outdir: 'out',
    plugins: [squeezeCss, inlineWorker, sharedModules(used)]
  });
  const code = result.outputFiles[0].text;
  // Hashed names, because browsers keep what they have fetched.
  const plugin = `plugin.${hash(code)}.js`;
  const entry = container(plugin, [...used].sort());
  const remote = `remoteEntry.${hash(entry)}.js`;
  const manifest = JSON.parse(fs.readFileSync(path.join(here, 'package.json'), 'utf8'));
  for (const field of ['scripts', 'dependencies', 'devDependencies', 'engines', 'type']) {
    delete manifest[field];
  }
  manifest.jupyterlab._build = { load: `static/${remote}`, extension: './extension' };
  fs.rmSync(labOut, { recursive: true, force: true });
  fs.mkdirSync(path.join(labOut, 'static'), { recursive: true });
  fs.writeFileSync(path.join(labOut, 'static', plugin), code);
  fs.writeFileSync(path.join(labOut, 'static', remote), entry);
  // Written last: its being there says that the build is whole.
  fs.writeFileSync(path.join(labOut, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function build() {
  await Promise.all([buildWidget(), buildPage(), buildLab()]);
}

await build();
if (watch) {
  let waiting;
  fs.watch(path.join(here, 'src'), { recursive: true }, () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => build().then(() => console.log('built'), error => console.error(error.message)), 100);
  });
}
