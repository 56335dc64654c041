// Made by `npm run contract` from libs/contracts; do not edit.
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the service is up */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is there, and whether it is the active service or stands by */
        get: operations["alive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the service counts about itself, for Prometheus */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether a password is needed, and who is signed in */
        get: operations["getSession"];
        put?: never;
        /** Sign in with the password; the answer sets the session cookie */
        post: operations["signIn"];
        /** End the session */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Live events; with `after` or the header Last-Event-ID first those that came after that id */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/examples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The examples */
        get: operations["listExamples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fleets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The fleets that ship with HiveMind */
        get: operations["listFleets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Diagnostics of a text */
        post: operations["check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Projects by page, newest change first. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
        get: operations["listProjects"];
        put?: never;
        /** A project from an example, a text or nothing */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One project */
        get: operations["getProject"];
        put?: never;
        post?: never;
        /** Delete it with all it holds */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /** Rename it */
        patch: operations["renameProject"];
        trace?: never;
    };
    "/projects/{project}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Versions by page, newest first. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
        get: operations["listVersions"];
        put?: never;
        /** Save the text and the files of now as a new version; 409 when base is not the newest */
        post: operations["saveVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One version */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/versions/{version}/roll-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Save a new version with the text and files of this one, and restore those files; 409 when base is not the newest */
        post: operations["rollBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/versions/{version}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What it changed against another version, by default the one before */
        get: operations["compareVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/versions/{version}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Content of a file as the version has it */
        get: operations["getVersionFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/unsaved-files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Changes of files that no version has yet */
        get: operations["unsavedFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Task code and data */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Content of a file; ETag is its hash, for files of at most 1 MB */
        get: operations["getFile"];
        /** Write a text file; 409 when its content is not the expected one */
        put: operations["putFile"];
        post?: never;
        /** Delete a file */
        delete: operations["deleteFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/fleets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The fleets to explore on: those that ship with HiveMind, and the own ones of the project */
        get: operations["listProjectFleets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/fleets/{fleet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One fleet */
        get: operations["getProjectFleet"];
        /** Make or replace an own fleet of the project; 409 when its content is not the expected one */
        put: operations["putProjectFleet"];
        post?: never;
        /** Delete an own fleet; explorations made on it keep their copy. 409 when its content is not the expected one */
        delete: operations["deleteProjectFleet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The profile explorations use */
        get: operations["getProfile"];
        /** Replace it */
        put: operations["importProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/profile/measurements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take what a run measured into it: times and sizes of some tasks, or of all, on the tier where they ran; the rest stays */
        post: operations["measureProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/profile-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Measure it on the local target */
        post: operations["startProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile-jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One measurement */
        get: operations["getProfileJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile-jobs/{job}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel it */
        post: operations["cancelProfileJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/explorations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explorations by page, newest first, without results. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
        get: operations["listExplorations"];
        put?: never;
        /** Explore the placements */
        post: operations["startExploration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/explorations/{exploration}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One exploration with its result */
        get: operations["getExploration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/explorations/{exploration}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel it */
        post: operations["cancelExploration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Jobs of every kind by page, newest first, without results. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One job with its result and artefacts */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its log by page */
        get: operations["getJobLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}/artefact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file that it has kept, in its own media type */
        get: operations["getArtefact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel it; what it has so far is kept where the kind can */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Deployments by page, newest first. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
        get: operations["listDeployments"];
        put?: never;
        /** Deploy a placement. It takes the place of the newest running one of the same target, which serves until the new one is ready, unless `beside` is true */
        post: operations["createDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/deployments/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a deployment would change of the one it follows, and what it needs */
        post: operations["planDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deployments/{deployment}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest log lines of a function or an agent */
        get: operations["deploymentLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Devices that were enrolled or have called in, with their class, state and telemetry */
        get: operations["listDevices"];
        put?: never;
        /** Enrol a device of another machine; the answer is what its agent is started with, and is shown this once */
        post: operations["enrolDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where devices dial in, and whether those of other machines reach it */
        get: operations["dialIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The agent of devices, as a tar.gz of a folder with a program start; it needs Node.js 24.5 or newer */
        get: operations["agentArchive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove an enrolled device: its connection ends, and its credential is refused from now on */
        delete: operations["removeDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deployments/{deployment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One deployment */
        get: operations["getDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deployments/{deployment}/undeploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop it */
        post: operations["undeploy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deployments/{deployment}/comparison": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its estimate for the local target beside what its runs measured (at most five), with the deviations */
        get: operations["compareDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs by page, newest first. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last. A filter leaves out what does not match: `text` is looked for in message, target and id */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deployments/{deployment}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run it once */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run with outputs, tasks, figures and logs so far */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run}/spans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Spans of a run by page, in the order in which they ended; of one task, or only those that failed */
        get: operations["listSpans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run}/outputs/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole value of an output, in its own media type; outputs are numbered from 0 in order of arrival */
        get: operations["getOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel it */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run}/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run as an OpenTelemetry trace: one OTLP request with the spans of every tier */
        get: operations["runTrace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The report of a run: stands alone, HTML or JSON */
        get: operations["runReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/parameters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Hard parameters of a build, with their limits; 422 without the tools of the fabric */
        get: operations["listFabricParameters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/builds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Bitstreams that are kept */
        get: operations["listFabricBuilds"];
        put?: never;
        /** Build a bitstream; its job has stages, log, .bit and .svf, and can be cancelled */
        post: operations["startFabricBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/builds/{build}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One bitstream: its timing, slowest paths, use of the device and files */
        get: operations["getFabricBuild"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/builds/{build}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of it, such as fabric.bit or fabric.svf */
        get: operations["getFabricFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/builds/{build}/floorplan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where its parts lie on the device, and how close the ends of its paths come to the clock; 404 for a build of before */
        get: operations["getFabricFloorplan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/boards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Simulated boards that the service runs */
        get: operations["listFabricBoards"];
        put?: never;
        /** Start a simulated board; its job compiles the model of the build, loads it and tests it */
        post: operations["startFabricBoard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/boards/{board}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Stop a simulated board */
        delete: operations["stopFabricBoard"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/boards/{board}/loads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Load a build; its job fails with the reason when the build is refused or rolled back */
        post: operations["loadFabricBoard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fabric/boards/{board}/registers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every register as it reads now */
        get: operations["getFabricRegisters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Write soft registers, which take effect together, under traffic too; answers what is read back */
        patch: operations["setFabricRegisters"];
        trace?: never;
    };
    "/fabric/boards/{board}/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The latest values that came out of the board */
        get: operations["getFabricTraffic"];
        /** Send readings of simulated sensors through the board, instead of those before */
        put: operations["startFabricTraffic"];
        post?: never;
        /** Send nothing more */
        delete: operations["stopFabricTraffic"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/network-functions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Servers of network functions that have registered and said something lately, by name */
        get: operations["listNetworkFunctions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/network-functions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** A server says what it is; it is forgotten when it does not say so again in time */
        put: operations["registerNetworkFunction"];
        post?: never;
        /** A server that ends takes its leave */
        delete: operations["removeNetworkFunction"];
        options?: never;
        head?: never;
        /** Give a server another function, which it takes when it next says something; its windows start anew */
        patch: operations["changeNetworkFunction"];
        trace?: never;
    };
    "/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Clusters that functions can be deployed to by name, beside the usual target of the service */
        get: operations["listTargets"];
        put?: never;
        /** Keep a cluster under a name; 422 with what is missing when nothing can be deployed there */
        post: operations["createTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/targets/{target}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change it; 409 while something is deployed there, 422 as when it is made */
        put: operations["replaceTarget"];
        post?: never;
        /** Forget it and its kubeconfig; 409 while something is deployed there */
        delete: operations["removeTarget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/targets/{target}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the cluster whether something can be deployed there now */
        post: operations["checkTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/target-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask a cluster whether something can be deployed there, without keeping anything */
        post: operations["tryTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Pools of the store, in and below a path; with an access key those that it reaches */
        get: operations["listStorePools"];
        put?: never;
        /** Create a pool; 409 when a different one is in its place */
        post: operations["createStorePool"];
        /** Remove a pool with all its objects */
        delete: operations["removeStorePool"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Objects under a prefix by page, at a version or time, without their bytes */
        get: operations["listStoreObjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/object": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bytes of an object, in its own media type, at a version or time; ETag is the version */
        get: operations["getStoreObject"];
        /** Write an object of any size; 409 when its version is not the expected one */
        put: operations["putStoreObject"];
        post?: never;
        /** Write a version that says removed; earlier versions stay readable */
        delete: operations["removeStoreObject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An object as JSON can show it */
        get: operations["previewStoreObject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The kept versions of one key, oldest first */
        get: operations["listStoreVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The kept versions of all keys under a prefix, oldest first */
        get: operations["listStoreChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Writes under a prefix as they come; with `after` or the header Last-Event-ID first those after that version */
        get: operations["watchStore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a topic, which is a pool below /cms/topics; 409 when a different one is in its place */
        post: operations["createStoreTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Messages of the topics in and below a path as they come; with `after` or the header Last-Event-ID first those after that event, with an empty `after` from the beginning */
        get: operations["subscribeToStoreTopics"];
        put?: never;
        /** Publish a message; its version is its offset */
        post: operations["publishToStoreTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/access-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Access keys of the store, without their secrets */
        get: operations["listAccessKeys"];
        put?: never;
        /** Make an access key; the answer has its secret, which is told this once. 409 when the name is taken */
        post: operations["createAccessKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/access-keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove an access key: it is refused from now on, and its open streams of events end */
        delete: operations["removeAccessKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @enum {string} */
        Access: "read" | "read-write";
        AccessKey: {
            name: components["schemas"]["AccessKeyName"];
            grants: components["schemas"]["Grant"][];
            /** Format: date-time */
            expiresAt?: string;
            expired: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        AccessKeyName: string;
        AccessKeyWithSecret: {
            name: components["schemas"]["AccessKeyName"];
            grants: components["schemas"]["Grant"][];
            /** Format: date-time */
            expiresAt?: string;
            expired: boolean;
            /** Format: date-time */
            createdAt: string;
            secret: string;
        };
        Alive: {
            /** @enum {string} */
            role: "active" | "stand-by";
        };
        Artefact: {
            name: string;
            type: string;
            hash: string;
            bytes: number;
        };
        Breakdown: {
            network: number;
            management: number;
            dataExchange: number;
            execution: number;
        };
        Candidate: {
            id: string;
            placement: components["schemas"]["Placement"];
            /** @enum {string} */
            baseline?: "all-cloud" | "all-edge" | "all-fabric" | "all-edge-node";
            estimate: components["schemas"]["Estimate"];
            /** @enum {string} */
            method?: "simulated" | "closed-form";
            pareto: boolean;
            meets: boolean;
            violations: {
                key: string;
                limit: number;
                value: number;
                message: string;
            }[];
            p99IntervalMs?: {
                low: number;
                high: number;
            };
            tiedWith?: string[];
        };
        ChangedTarget: {
            kubeconfig?: string;
            context?: string;
            namespace?: string;
            /** Format: uri */
            ingress?: string;
            images?: {
                node: string;
                python: string;
            };
        };
        CheckAnswer: {
            diagnostics: components["schemas"]["Diagnostic"][];
        };
        CheckRequest: {
            text: components["schemas"]["WorkflowText"];
            project?: components["schemas"]["Id"];
        };
        ComparedFigure: {
            simulatedMs: number;
            measuredMs: number;
            deviation: number | null;
        };
        ConstraintResult: {
            key: string;
            rule?: string;
            limit: number;
            value?: number;
            met?: boolean;
            text: string;
        };
        /** @enum {string} */
        DeployableHandOver: "store" | "co-placed";
        DeploymentChange: {
            /** @enum {string} */
            kind: "function" | "agent";
            name: string;
            /** @enum {string} */
            action: "create" | "change" | "remove" | "keep";
            why: string;
            objects?: components["schemas"]["ObjectChange"][];
        };
        DeploymentComparison: {
            deployment: components["schemas"]["Id"];
            /** @enum {string} */
            profile: "deployed" | "now";
            runs: components["schemas"]["Id"][];
            callsFrom: components["schemas"]["Id"][];
            itemsPerDevice?: number;
            rows: {
                task: string | null;
                tier: components["schemas"]["Tier"] | null;
                samples: number;
                p50: components["schemas"]["ComparedFigure"];
                p99: components["schemas"]["ComparedFigure"];
            }[];
            run?: components["schemas"]["ComparedFigure"];
        };
        DeploymentPlan: {
            changes: components["schemas"]["DeploymentChange"][];
            needs: {
                /** @enum {string} */
                level: "ok" | "warning" | "error";
                message: string;
            }[];
        };
        DeploymentRecord: {
            id: components["schemas"]["Id"];
            project: components["schemas"]["Id"];
            request: components["schemas"]["StoredNewDeployment"];
            /** @enum {string} */
            state: "starting" | "ready" | "failed" | "stopped";
            message: string;
            resources: components["schemas"]["DeploymentResource"][];
            estimate?: components["schemas"]["Estimate"];
            /** Format: date-time */
            createdAt: string;
        };
        DeploymentResource: {
            /** @enum {string} */
            kind: "function" | "agent";
            name: string;
            /** @enum {string} */
            state: "starting" | "ready" | "failed" | "stopped";
            pid?: number;
            containers?: {
                revision: string;
                ready: number;
                direct: number;
            };
            message?: string;
        };
        Device: {
            id: string;
            class: string;
            /** @enum {string} */
            state: "enrolled" | "online" | "gone";
            enrolled: boolean;
            version: string;
            cores: number;
            memoryMB: number;
            /** Format: date-time */
            seenAt?: string;
            telemetry?: {
                cpu?: number;
                memoryUsedMB?: number;
                memoryMB?: number;
                batteryWh?: number;
                capacityWh?: number;
                roundTripMs?: number;
                position?: {
                    x: number;
                    y: number;
                };
            };
        };
        DeviceCredential: {
            broker: string;
            ca?: string;
            fleet: string;
            device: string;
            class: string;
            token: string;
        };
        DeviceEvent: {
            at: number;
            device: string;
            /** @enum {string} */
            state: "up" | "lost" | "respawned";
            message: string;
        };
        Diagnostic: {
            code: string;
            /** @enum {string} */
            severity: "error" | "warning" | "hint";
            from: number;
            to: number;
            line: number;
            column: number;
            message: string;
            fixes: {
                title: string;
                changes: {
                    from: number;
                    to: number;
                    insert: string;
                }[];
                certain: boolean;
            }[];
            task?: string;
        };
        DialIn: {
            broker: string;
            values: string;
            onlyHere: string[];
        };
        Estimate: {
            latencyMs: {
                p50: number;
                p99: number;
                mean: number;
            };
            breakdown: components["schemas"]["Breakdown"];
            perTask: {
                [key: string]: {
                    p50Ms: number;
                    p99Ms: number;
                    breakdown: components["schemas"]["Breakdown"];
                    tier: components["schemas"]["Tier"];
                };
            };
            execTimeMs: number;
            throughput: number;
            energyJ: number;
            energyShare: number;
            maxEnergyJ?: number;
            maxEnergyShare?: number;
            bandwidthMBps: number;
            costPerHour: number;
            costPerRun: number;
            missedDeadlines?: {
                [key: string]: number;
            };
            edgeNodes?: {
                busyShare: number;
                energyJ: number;
            };
            assumed?: string[];
        };
        Example: {
            id: components["schemas"]["Id"];
            title: string;
            summary: string;
            tasks: number;
            readme: string;
        };
        Exploration: {
            /** @constant */
            schema: "hivemind.exploration/1";
            candidates: components["schemas"]["Candidate"][];
            front: string[];
            pruned: {
                count: number;
                byRule: {
                    [key: string]: number;
                };
            };
            note?: string;
            proof?: {
                /** @enum {string} */
                kind: "enumerated" | "exact-filter" | "heuristic";
                epsilon?: number;
                judged: number;
            };
            cancelled?: {
                done: number;
                of: number;
            };
            inputs: {
                seed: number;
                fleet: string;
                devices: number;
                profile: components["schemas"]["Profile"];
                itemsPerDevice: number;
                handOver?: components["schemas"]["HandOverKind"];
                fleetUsed?: components["schemas"]["Fleet"];
            };
        };
        ExplorationJob: {
            id: components["schemas"]["Id"];
            project: components["schemas"]["Id"];
            request: components["schemas"]["StoredNewExploration"];
            job: components["schemas"]["Job"];
            soFar?: {
                front: components["schemas"]["Candidate"][];
                done: number;
                of: number;
            };
            result?: components["schemas"]["Exploration"];
        };
        FabricBoard: {
            id: string;
            build: string;
            /** Format: date-time */
            startedAt: string;
            problem?: string;
            distil?: {
                cyclesPerItem: number;
                clockMHz: number;
                places: number;
            };
            deployment?: string;
            traffic?: {
                readingsPerSecond: number;
                /** @default 1 */
                sources: number;
                sent: number;
                received: number;
            };
        };
        FabricBuild: {
            /** @constant */
            format: 3;
            id: string;
            design: string;
            generator: string;
            verdict?: components["schemas"]["FabricVerdict"];
            signedBy?: string;
            engines: string[];
            device: string;
            board: string;
            parameters: {
                [key: string]: number;
            };
            interface: string;
            registerMapHash: string;
            tools: {
                [key: string]: string;
            };
            seeds: {
                seed: number;
                clocks: {
                    name: string;
                    achievedMhz: number;
                    requiredMhz: number;
                }[];
                isTimingMet: boolean;
                problem?: string;
            }[];
            seed: number;
            isTimingMet: boolean;
            clocks: {
                name: string;
                achievedMhz: number;
                requiredMhz: number;
            }[];
            criticalPaths: {
                from: string;
                to: string;
                clock: string;
                delayNs: number;
                routingNs: number;
            }[];
            utilisation: {
                resource: string;
                used: number;
                available: number;
            }[];
            files: {
                [key: string]: string;
            };
        };
        /** @enum {string} */
        FabricEngine: "distil" | "dispatch" | "rmem" | "rpc";
        FabricFloorplan: {
            columns: number;
            rows: number;
            parts: {
                name: string;
                cells: number;
                memories: number;
            }[];
            tiles: {
                x: number;
                y: number;
                part: number;
                cells: number;
            }[];
            memories: {
                x: number;
                y: number;
                part: number;
            }[];
            arrivals: {
                clock: string;
                requiredNs: number;
                binNs: number;
                counts: number[];
            }[];
        };
        FabricParameter: {
            engine: string;
            name: string;
            default: number;
            values: number[];
            unit: string;
            limits: string;
            doc: string;
        };
        FabricRegisters: {
            registers: {
                engine: string;
                name: string;
                address: number;
                doc: string;
                fields: {
                    name: string;
                    value: number;
                    max: number;
                    isSoft: boolean;
                    doc: string;
                }[];
            }[];
            changes: {
                /** Format: date-time */
                at: string;
                settings: components["schemas"]["FabricSettings"];
            }[];
        };
        FabricSettings: {
            [key: string]: number;
        };
        FabricTraffic: {
            readingsPerSecond: number;
            /** @default 1 */
            sources?: number;
        };
        FabricValues: {
            at: number;
            source: number;
            value: number;
        }[];
        FabricVerdict: {
            /** @enum {string} */
            suite: "quick" | "full";
            /** Format: date-time */
            passedAt: string;
            simulations: number;
            proofs: number;
            plantedBugs: number;
        };
        FileChange: {
            path: string;
            /** @enum {string} */
            change: "added" | "changed" | "removed";
            bytes: number;
        };
        Fleet: {
            /** @enum {string} */
            schema: "hivemind.fleet/1";
            name: string;
            label: string;
            devices: {
                class: {
                    name: string;
                    label: string;
                    cpuSpeed: number;
                    cores: number;
                    processPerTask?: boolean;
                    awaitsArrival?: boolean;
                    memoryMB: number;
                    power: {
                        motionW: number;
                        idleW: number;
                        computeW: number;
                    };
                    radio: {
                        txJPerMB: number;
                        rxJPerMB: number;
                    };
                    batteryWh: number;
                    sensors: string[];
                    speedMps: number;
                    sources: {
                        what: string;
                        from: string;
                    }[];
                };
                count: number;
            }[];
            uplink: {
                name: string;
                label: string;
                /** @enum {string} */
                kind: "wireless" | "wired" | "loopback";
                count: number;
                bandwidthMbps: number;
                delayMs: number;
                rpc?: {
                    fixedMs: number;
                    bandwidthMBps: number;
                };
                sources: {
                    what: string;
                    from: string;
                }[];
            };
            cloud: {
                servers: number;
                coresPerServer: number;
                cpuSpeed: number;
                coldStartMs: number;
                coldStartSpread?: number[];
                keepAliveS: number;
                dispatchMs: number;
                handOver: {
                    /** @enum {string} */
                    kind?: "store" | "direct" | "co-placed" | "remote-memory";
                    fixedMs: number;
                    bandwidthMBps: number;
                    isShared?: boolean;
                };
                otherHandOvers?: {
                    /** @enum {string} */
                    kind: "store" | "direct" | "co-placed" | "remote-memory";
                    fixedMs: number;
                    bandwidthMBps: number;
                    isShared?: boolean;
                    sources: {
                        what: string;
                        from: string;
                    }[];
                }[];
                pricePerCoreHour: number;
                sources: {
                    what: string;
                    from: string;
                }[];
            };
            edgeNodes?: {
                name: string;
                label: string;
                count: number;
                cores: number;
                cpuSpeed: number;
                memoryMB: number;
                power: {
                    idleW: number;
                    computeW: number;
                };
                callMs: number;
                serves?: string[];
                link: {
                    /** @enum {string} */
                    kind: "wireless" | "wired" | "loopback";
                    bandwidthMbps: number;
                    delayMs: number;
                };
                backhaul: {
                    /** @enum {string} */
                    kind: "wireless" | "wired" | "loopback";
                    bandwidthMbps: number;
                    delayMs: number;
                };
                sources: {
                    what: string;
                    from: string;
                }[];
            };
            fabric?: {
                boards: number;
                places: number;
                clockMHz: number;
                cyclesPerItem: number;
                sources: {
                    what: string;
                    from: string;
                }[];
            };
            host?: {
                cores: number;
                others?: number;
                sources: {
                    what: string;
                    from: string;
                }[];
            };
        };
        FleetSummary: {
            name: string;
            label: string;
            devices: number;
            classes: string[];
            edgeNodes?: string;
            handOvers: components["schemas"]["HandOverKind"][];
            own: boolean;
            problem?: string;
        };
        Grant: {
            prefix: components["schemas"]["StorePath"];
            access: components["schemas"]["Access"];
        };
        /** @enum {string} */
        HandOverKind: "store" | "direct" | "co-placed" | "remote-memory";
        Health: {
            /** @constant */
            status: "ok";
            version: string;
            database: string;
            /** @enum {string} */
            sandbox: "on" | "off" | "refused";
            /** @enum {string} */
            target: "local" | "knative";
        };
        Id: string;
        Job: {
            state: components["schemas"]["JobState"];
            stage: string;
            progress: number;
            message: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt?: string;
        };
        JobLogLine: {
            at: number;
            /** @enum {string} */
            level: "debug" | "info" | "warn" | "error";
            text: string;
        };
        JobLogPage: {
            lines: components["schemas"]["JobLogLine"][];
            next?: number;
        };
        JobRecord: {
            id: components["schemas"]["Id"];
            kind: string;
            project?: components["schemas"]["Id"];
            request: unknown;
            job: components["schemas"]["Job"];
            artefacts?: components["schemas"]["Artefact"][];
            result?: unknown;
        };
        /** @enum {string} */
        JobState: "queued" | "running" | "done" | "failed" | "cancelled";
        Layout: {
            nodes: {
                [key: string]: {
                    x: number;
                    y: number;
                    colour?: string;
                    note?: string;
                    group?: string;
                };
            };
        };
        LogLine: {
            at: number;
            /** @enum {string} */
            level: "debug" | "info" | "warn" | "error";
            source: string;
            device?: string;
            text: string;
        };
        Name: string;
        NetworkFunction: {
            code: string;
            address: {
                host: string;
                port: number;
            };
            next?: {
                host: string;
                port: number;
            };
            keyed: boolean;
            /** @enum {string} */
            runtime: "node" | "c";
            counters: {
                [key: string]: number;
            };
            problem?: string;
            name: components["schemas"]["NetworkFunctionName"];
            wanted?: string;
            /** Format: date-time */
            seenAt: string;
            nextName?: string;
        };
        NetworkFunctionChange: {
            code: string;
        };
        NetworkFunctionName: string;
        NetworkFunctionOrder: {
            code?: string;
            expiresInS: number;
        };
        NetworkFunctionReport: {
            code: string;
            address: {
                host: string;
                port: number;
            };
            next?: {
                host: string;
                port: number;
            };
            keyed: boolean;
            /** @enum {string} */
            runtime: "node" | "c";
            counters: {
                [key: string]: number;
            };
            problem?: string;
        };
        NewAccessKey: {
            name: components["schemas"]["AccessKeyName"];
            grants: components["schemas"]["Grant"][];
            /** Format: date-time */
            expiresAt?: string;
        };
        NewDeployment: {
            version: components["schemas"]["VersionNumber"];
            placement: components["schemas"]["Placement"];
            exploration?: components["schemas"]["Id"];
            candidate?: string;
            /** @default 2 */
            agents?: number;
            classes?: {
                [key: string]: number;
            };
            devices?: string[];
            /** @default 1 */
            edgeNodes?: number;
            edgeMachines?: string[];
            handOver?: components["schemas"]["DeployableHandOver"];
            target?: components["schemas"]["TargetName"];
            /** @default false */
            beside?: boolean;
            canary?: {
                /** @default 0.1 */
                share?: number;
                /** @default 30 */
                calls?: number;
                /** @default 10 */
                minutes?: number;
            };
        };
        StoredNewDeployment: {
            version: components["schemas"]["VersionNumber"];
            placement: components["schemas"]["Placement"];
            exploration?: components["schemas"]["Id"];
            candidate?: string;
            /** @default 2 */
            agents: number;
            classes?: {
                [key: string]: number;
            };
            devices?: string[];
            /** @default 1 */
            edgeNodes: number;
            edgeMachines?: string[];
            handOver?: components["schemas"]["DeployableHandOver"];
            target?: components["schemas"]["TargetName"];
            /** @default false */
            beside: boolean;
            canary?: {
                /** @default 0.1 */
                share: number;
                /** @default 30 */
                calls: number;
                /** @default 10 */
                minutes: number;
            };
        };
        NewDevice: {
            id: string;
            /** @default device */
            class?: string;
        };
        NewExploration: {
            version: components["schemas"]["VersionNumber"];
            /** @default paper-drones */
            fleet?: string;
            devices?: number;
            itemsPerDevice?: number;
            handOver?: components["schemas"]["HandOverKind"];
            /** @default 1 */
            seed?: number;
        };
        StoredNewExploration: {
            version: components["schemas"]["VersionNumber"];
            /** @default paper-drones */
            fleet: string;
            devices?: number;
            itemsPerDevice?: number;
            handOver?: components["schemas"]["HandOverKind"];
            /** @default 1 */
            seed: number;
        };
        NewFabricBoard: {
            build: string;
        };
        NewFabricBuild: {
            /**
             * @default [
             *       "distil"
             *     ]
             */
            engines?: components["schemas"]["FabricEngine"][];
            /** @default {} */
            parameters?: {
                [key: string]: number;
            };
            /** @default 5 */
            seeds?: number;
            /** @default false */
            sweep?: boolean;
        };
        NewFabricLoad: {
            build: string;
            /** @default false */
            allowUnmetTiming?: boolean;
        };
        NewProfileJob: {
            version: components["schemas"]["VersionNumber"];
            /** @default 2 */
            agents?: number;
            /** @default 8 */
            itemsPerDevice?: number;
        };
        StoredNewProfileJob: {
            version: components["schemas"]["VersionNumber"];
            /** @default 2 */
            agents: number;
            /** @default 8 */
            itemsPerDevice: number;
        };
        NewProject: {
            name: components["schemas"]["Name"];
            example?: components["schemas"]["Id"];
            text?: components["schemas"]["WorkflowText"];
        };
        NewRun: {
            /** @default {} */
            inputs?: {
                [key: string]: unknown;
            };
            itemsPerDevice?: number;
            from?: {
                run: components["schemas"]["Id"];
                task: string;
                item?: {
                    device: string;
                    seq: number;
                };
            };
            traceparent?: string;
        };
        StoredNewRun: {
            /** @default {} */
            inputs: {
                [key: string]: unknown;
            };
            itemsPerDevice?: number;
            from?: {
                run: components["schemas"]["Id"];
                task: string;
                item?: {
                    device: string;
                    seq: number;
                };
            };
            traceparent?: string;
        };
        NewSession: {
            password: string;
        };
        NewStorePool: {
            path: components["schemas"]["StorePath"];
            /** @default persistent */
            persistence?: components["schemas"]["StorePersistence"];
            retention?: components["schemas"]["StoreRetention"];
            affinity?: string;
        };
        NewStoreTopic: {
            path: components["schemas"]["StorePath"];
            /**
             * @default volatile
             * @enum {string}
             */
            persistence?: "volatile" | "buffered" | "persistent";
            retention?: components["schemas"]["StoreRetention"];
        };
        NewTarget: {
            name: components["schemas"]["TargetName"];
            kubeconfig: string;
            context?: string;
            namespace?: string;
            /** Format: uri */
            ingress?: string;
            images?: {
                node: string;
                python: string;
            };
        };
        NewVersion: {
            base: number;
            text: components["schemas"]["WorkflowText"];
            layout: components["schemas"]["Layout"];
            /** @default  */
            message?: string;
        };
        ObjectChange: {
            kind: string;
            name: string;
            /** @enum {string} */
            action: "create" | "change" | "remove" | "keep";
            diff: string;
            bytes?: number;
        };
        Placement: {
            [key: string]: components["schemas"]["Tier"];
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            errors?: {
                field: string;
                message: string;
            }[];
        };
        Profile: {
            /** @constant */
            schema: "hivemind.profile/1";
            note: string;
            tasks: {
                [key: string]: {
                    /** @enum {string} */
                    origin: "measured" | "assumed";
                    cloud?: {
                        serviceMs: {
                            mean: number;
                            quantiles: number[];
                            samples: number;
                        };
                        outputBytes: {
                            mean: number;
                            quantiles: number[];
                            samples: number;
                        };
                        outputsPerInvocation: number;
                    };
                    edge?: {
                        serviceMs: {
                            mean: number;
                            quantiles: number[];
                            samples: number;
                        };
                        outputBytes: {
                            mean: number;
                            quantiles: number[];
                            samples: number;
                        };
                        outputsPerInvocation: number;
                    };
                };
            };
        };
        ProfileJob: {
            id: components["schemas"]["Id"];
            project: components["schemas"]["Id"];
            request: components["schemas"]["StoredNewProfileJob"];
            job: components["schemas"]["Job"];
        };
        ProfileMeasurement: {
            run: components["schemas"]["Id"];
            tasks?: string[];
        };
        Project: {
            id: components["schemas"]["Id"];
            name: components["schemas"]["Name"];
            workflowFile: string;
            example?: components["schemas"]["Id"];
            headVersion: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectFile: {
            path: string;
            bytes: number;
            /** Format: date-time */
            modifiedAt: string;
        };
        ProjectFleet: {
            fleet: components["schemas"]["Fleet"];
            hash?: string;
        };
        ProjectProfile: {
            profile: components["schemas"]["Profile"];
            /** @enum {string} */
            origin: "assumed" | "example" | "measured" | "imported";
            /** Format: date-time */
            updatedAt?: string;
        };
        RunDetail: {
            id: components["schemas"]["Id"];
            project: components["schemas"]["Id"];
            deployment: components["schemas"]["Id"];
            request: components["schemas"]["StoredNewRun"];
            state: components["schemas"]["RunState"];
            message: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt?: string;
            result: components["schemas"]["RunSummary"];
            outputCount: number;
            logs: components["schemas"]["LogLine"][];
            devices: components["schemas"]["DeviceEvent"][];
            statistics: components["schemas"]["TaskStatistics"][];
            spanCount: number;
            lastEvent: number;
        };
        RunEvent: {
            /** @constant */
            type: "state";
            at: number;
            state: components["schemas"]["RunState"];
            message?: string;
        } | {
            /** @constant */
            type: "task";
            at: number;
            task: components["schemas"]["TaskState"];
        } | {
            /** @constant */
            type: "span";
            at: number;
            span: components["schemas"]["Span"];
        } | {
            /** @constant */
            type: "log";
            at: number;
            line: components["schemas"]["LogLine"];
        } | {
            /** @constant */
            type: "output";
            at: number;
            output: components["schemas"]["RunOutput"];
        } | {
            /** @constant */
            type: "device";
            at: number;
            device: string;
            /** @enum {string} */
            state: "up" | "lost" | "respawned";
            message: string;
        } | {
            /** @constant */
            type: "resumed";
            at: number;
        };
        RunListing: {
            id: components["schemas"]["Id"];
            project: components["schemas"]["Id"];
            deployment: components["schemas"]["Id"];
            request: components["schemas"]["StoredNewRun"];
            state: components["schemas"]["RunState"];
            message: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt?: string;
            version: components["schemas"]["VersionNumber"];
            target?: components["schemas"]["TargetName"];
            tookMs?: number;
            invocations?: number;
            failed?: number;
        };
        RunOutput: {
            task: string;
            data: string;
            device: string;
            seq: number;
            value: unknown;
            type?: string;
            bytes?: number;
            persisted?: boolean;
            ref?: {
                pool: string;
                key: string;
                version: number;
            };
        };
        RunRecord: {
            id: components["schemas"]["Id"];
            project: components["schemas"]["Id"];
            deployment: components["schemas"]["Id"];
            request: components["schemas"]["StoredNewRun"];
            state: components["schemas"]["RunState"];
            message: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt?: string;
        };
        /** @enum {string} */
        RunState: "queued" | "starting" | "running" | "succeeded" | "failed" | "cancelled";
        RunStatistics: {
            statistics: components["schemas"]["TaskStatistics"][];
            spanCount: number;
        };
        RunSummary: {
            state: components["schemas"]["RunState"];
            message?: string;
            startedAt: number;
            endedAt: number;
            outputs: components["schemas"]["RunOutput"][];
            tasks: components["schemas"]["TaskState"][];
            losses: string[];
            constraints?: components["schemas"]["ConstraintResult"][];
        };
        SavedFile: {
            path: string;
            bytes: number;
            /** Format: date-time */
            modifiedAt: string;
            hash: string;
        };
        ServerEvent: {
            /** @constant */
            type: "exploration";
            exploration: {
                id: components["schemas"]["Id"];
                project: components["schemas"]["Id"];
                request: components["schemas"]["StoredNewExploration"];
                job: components["schemas"]["Job"];
                soFar?: {
                    front: components["schemas"]["Candidate"][];
                    done: number;
                    of: number;
                };
            };
        } | {
            /** @constant */
            type: "profile";
            profile: components["schemas"]["ProfileJob"];
        } | {
            /** @constant */
            type: "job";
            job: components["schemas"]["JobRecord"];
        } | {
            /** @constant */
            type: "job-log";
            job: components["schemas"]["Id"];
            line: components["schemas"]["JobLogLine"];
        } | {
            /** @constant */
            type: "deployment";
            deployment: components["schemas"]["DeploymentRecord"];
        } | {
            /** @constant */
            type: "run";
            run: components["schemas"]["RunRecord"];
        } | {
            /** @constant */
            type: "run-event";
            run: components["schemas"]["Id"];
            event: components["schemas"]["RunEvent"];
        } | {
            /** @constant */
            type: "run-statistics";
            run: components["schemas"]["Id"];
            figures: components["schemas"]["RunStatistics"];
        } | {
            /** @constant */
            type: "reset";
        };
        Session: {
            passwordRequired: boolean;
            principal?: {
                name: string;
            };
        };
        Span: {
            task: string;
            device: string;
            seq: number;
            tier: components["schemas"]["Tier"];
            worker: string;
            queuedAt: number;
            startedAt: number;
            endedAt: number;
            breakdown: components["schemas"]["Breakdown"];
            bytesIn: number;
            bytesOut: number;
            items: number;
            /** @enum {string} */
            status: "ok" | "failed";
            error?: string;
            attempt: number;
            missedDeadline?: boolean;
            coldStartMs?: number;
        };
        SpanPage: {
            spans: components["schemas"]["Span"][];
            next?: number;
        };
        StoreObject: {
            key: string;
            version: number;
            timestamp: number;
            previousVersion: number;
            previousKeyVersion: number;
            ordinal: number;
            removed: boolean;
            type: string;
            size: number;
        };
        StoreObjectPage: {
            objects: components["schemas"]["StoreObject"][];
            total: number;
            next?: string;
        };
        StorePath: string;
        /** @enum {string} */
        StorePersistence: "transient" | "volatile" | "buffered" | "persistent";
        StorePool: {
            path: string;
            persistence: components["schemas"]["StorePersistence"];
            retention: components["schemas"]["StoreRetention"];
            affinity?: string;
            created: number;
            ofRun: boolean;
            accessKeys?: {
                name: components["schemas"]["AccessKeyName"];
                prefix: string;
                access: components["schemas"]["Access"];
            }[];
        };
        StorePreview: {
            object: components["schemas"]["StoreObject"];
            preview?: unknown;
        };
        StoreRetention: {
            versions?: number;
            ageMs?: number;
        };
        TargetAccess: {
            kubeconfig: string;
            context?: string;
            namespace?: string;
            /** Format: uri */
            ingress?: string;
            images?: {
                node: string;
                python: string;
            };
        };
        TargetCheck: {
            server: string;
            context: string;
            contexts: string[];
            namespace: string;
            findings: {
                /** @enum {string} */
                level: "ok" | "warning" | "error";
                message: string;
            }[];
        };
        TargetName: string;
        TargetRecord: {
            name: components["schemas"]["TargetName"];
            server: string;
            context: string;
            namespace: string;
            /** Format: uri */
            ingress?: string;
            images?: {
                node: string;
                python: string;
            };
            live: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        TaskState: {
            task: string;
            tier: components["schemas"]["Tier"];
            /** @enum {string} */
            state: "waiting" | "running" | "done" | "failed";
            started: number;
            done: number;
            failed: number;
            missed?: number;
            dropped?: number;
        };
        TaskStatistics: {
            task: string;
            tier: components["schemas"]["Tier"];
            invocations: number;
            failed: number;
            missed: number;
            p50Ms: number;
            p90Ms: number;
            p99Ms: number;
            breakdown: components["schemas"]["Breakdown"];
            bytesIn: number;
            bytesOut: number;
            starts?: {
                cold: number;
                coldP50Ms: number;
                coldP99Ms: number;
                warm: number;
                warmP50Ms: number;
                warmP99Ms: number;
            };
        };
        /** @enum {string} */
        Tier: "cloud" | "edge" | "fabric" | "edge-node";
        UnsavedFiles: {
            version: number;
            files: components["schemas"]["FileChange"][];
        };
        Version: {
            number: number;
            message: string;
            author: string;
            /** Format: date-time */
            createdAt: string;
            tasks: number;
            errors: number;
            /** @enum {string} */
            filesFrom: "saved" | "adopted";
            text: components["schemas"]["WorkflowText"];
            layout: components["schemas"]["Layout"];
            files: components["schemas"]["VersionFile"][];
        };
        VersionChanges: {
            from: number;
            version: number;
            text: boolean;
            files: components["schemas"]["FileChange"][];
        };
        VersionFile: {
            path: string;
            hash: string;
            bytes: number;
        };
        VersionNumber: number;
        VersionSummary: {
            number: number;
            message: string;
            author: string;
            /** Format: date-time */
            createdAt: string;
            tasks: number;
            errors: number;
            /** @enum {string} */
            filesFrom: "saved" | "adopted";
        };
        WorkflowText: string;
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the service is up */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    alive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the process is there, and whether it is the active service or stands by */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the service counts about itself, for Prometheus */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether a password is needed, and who is signed in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSession"];
            };
        };
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    events: {
        parameters: {
            query: {
                topics: string;
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Live events; with `after` or the header Last-Event-ID first those that came after that id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listExamples: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The examples */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Example"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFleets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleets that ship with HiveMind */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetSummary"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckRequest"];
            };
        };
        responses: {
            /** @description Diagnostics of a text */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckAnswer"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: {
                limit?: number;
                after?: components["schemas"]["Id"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Projects by page, newest change first. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProject"];
            };
        };
        responses: {
            /** @description A project from an example, a text or nothing */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renameProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: components["schemas"]["Name"];
                };
            };
        };
        responses: {
            /** @description Rename it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listVersions: {
        parameters: {
            query?: {
                limit?: number;
                after?: number;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Versions by page, newest first. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionSummary"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    saveVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewVersion"];
            };
        };
        responses: {
            /** @description Save the text and the files of now as a new version; 409 when base is not the newest */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rollBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
                version: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    base: components["schemas"]["VersionNumber"];
                };
            };
        };
        responses: {
            /** @description Save a new version with the text and files of this one, and restore those files; 409 when base is not the newest */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compareVersions: {
        parameters: {
            query?: {
                from?: number;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it changed against another version, by default the one before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionChanges"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVersionFile: {
        parameters: {
            query: {
                path: string;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Content of a file as the version has it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unsavedFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Changes of files that no version has yet */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsavedFiles"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Task code and data */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectFile"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFile: {
        parameters: {
            query: {
                path: string;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Content of a file; ETag is its hash, for files of at most 1 MB */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putFile: {
        parameters: {
            query: {
                path: string;
                expected?: string;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    text: string;
                };
            };
        };
        responses: {
            /** @description Write a text file; 409 when its content is not the expected one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedFile"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteFile: {
        parameters: {
            query: {
                path: string;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProjectFleets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleets to explore on: those that ship with HiveMind, and the own ones of the project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetSummary"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProjectFleet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
                fleet: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One fleet */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectFleet"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putProjectFleet: {
        parameters: {
            query: {
                expected: string;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
                fleet: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Fleet"];
            };
        };
        responses: {
            /** @description Make or replace an own fleet of the project; 409 when its content is not the expected one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectFleet"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteProjectFleet: {
        parameters: {
            query?: {
                expected?: string;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
                fleet: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile explorations use */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectProfile"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Profile"];
            };
        };
        responses: {
            /** @description Replace it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectProfile"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    measureProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileMeasurement"];
            };
        };
        responses: {
            /** @description Take what a run measured into it: times and sizes of some tasks, or of all, on the tier where they ran; the rest stays */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectProfile"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProfileJob"];
            };
        };
        responses: {
            /** @description Measure it on the local target */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileJob"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProfileJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One measurement */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileJob"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelProfileJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileJob"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listExplorations: {
        parameters: {
            query?: {
                limit?: number;
                after?: components["schemas"]["Id"];
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Explorations by page, newest first, without results. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorationJob"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startExploration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewExploration"];
            };
        };
        responses: {
            /** @description Explore the placements */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorationJob"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getExploration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                exploration: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One exploration with its result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorationJob"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelExploration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                exploration: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplorationJob"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                project?: components["schemas"]["Id"];
                kind?: string;
                limit?: number;
                after?: components["schemas"]["Id"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Jobs of every kind by page, newest first, without results. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRecord"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One job with its result and artefacts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getJobLog: {
        parameters: {
            query?: {
                after?: number;
                limit?: number;
            };
            header?: never;
            path: {
                job: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its log by page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobLogPage"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getArtefact: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path: {
                job: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file that it has kept, in its own media type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/json": unknown;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel it; what it has so far is kept where the kind can */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                limit?: number;
                after?: components["schemas"]["Id"];
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deployments by page, newest first. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentRecord"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDeployment"];
            };
        };
        responses: {
            /** @description Deploy a placement. It takes the place of the newest running one of the same target, which serves until the new one is ready, unless `beside` is true */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    planDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDeployment"];
            };
        };
        responses: {
            /** @description What a deployment would change of the one it follows, and what it needs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentPlan"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deploymentLogs: {
        parameters: {
            query: {
                kind: "function" | "agent";
                name: string;
            };
            header?: never;
            path: {
                deployment: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest log lines of a function or an agent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Devices that were enrolled or have called in, with their class, state and telemetry */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enrolDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDevice"];
            };
        };
        responses: {
            /** @description Enrol a device of another machine; the answer is what its agent is started with, and is shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCredential"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dialIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where devices dial in, and whether those of other machines reach it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DialIn"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    agentArchive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent of devices, as a tar.gz of a folder with a program start; it needs Node.js 24.5 or newer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/gzip": unknown;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                device: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One deployment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undeploy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Stop it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compareDeployment: {
        parameters: {
            query?: {
                profile?: "deployed" | "now";
            };
            header?: never;
            path: {
                deployment: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its estimate for the local target beside what its runs measured (at most five), with the deviations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentComparison"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                limit?: number;
                after?: components["schemas"]["Id"];
                state?: components["schemas"]["RunState"];
                version?: number;
                text?: string;
            };
            header?: never;
            path: {
                project: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Runs by page, newest first. The next page is asked for with `after`, the last id of this one; a page with fewer than `limit` is the last. A filter leaves out what does not match: `text` is looked for in message, target and id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunListing"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRun"];
            };
        };
        responses: {
            /** @description Run it once */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run with outputs, tasks, figures and logs so far */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSpans: {
        parameters: {
            query?: {
                after?: number;
                limit?: number;
                task?: string;
                status?: "ok" | "failed";
            };
            header?: never;
            path: {
                run: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Spans of a run by page, in the order in which they ended; of one task, or only those that failed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpanPage"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: components["schemas"]["Id"];
                index: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole value of an output, in its own media type; outputs are numbered from 0 in order of arrival */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/json": unknown;
                    "application/cbor": unknown;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runTrace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run as an OpenTelemetry trace: one OTLP request with the spans of every tier */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runReport: {
        parameters: {
            query?: {
                format?: "html" | "json";
            };
            header?: never;
            path: {
                run: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report of a run: stands alone, HTML or JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "application/json": unknown;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFabricParameters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Hard parameters of a build, with their limits; 422 without the tools of the fabric */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricParameter"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFabricBuilds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bitstreams that are kept */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricBuild"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startFabricBuild: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFabricBuild"];
            };
        };
        responses: {
            /** @description Build a bitstream; its job has stages, log, .bit and .svf, and can be cancelled */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFabricBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                build: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One bitstream: its timing, slowest paths, use of the device and files */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricBuild"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFabricFile: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path: {
                build: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file of it, such as fabric.bit or fabric.svf */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFabricFloorplan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                build: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where its parts lie on the device, and how close the ends of its paths come to the clock; 404 for a build of before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricFloorplan"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFabricBoards: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Simulated boards that the service runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricBoard"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startFabricBoard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFabricBoard"];
            };
        };
        responses: {
            /** @description Start a simulated board; its job compiles the model of the build, loads it and tests it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stopFabricBoard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                board: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    loadFabricBoard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                board: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFabricLoad"];
            };
        };
        responses: {
            /** @description Load a build; its job fails with the reason when the build is refused or rolled back */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFabricRegisters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                board: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every register as it reads now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricRegisters"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setFabricRegisters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                board: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FabricSettings"];
            };
        };
        responses: {
            /** @description Write soft registers, which take effect together, under traffic too; answers what is read back */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricRegisters"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFabricTraffic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                board: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The latest values that came out of the board */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricValues"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startFabricTraffic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                board: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FabricTraffic"];
            };
        };
        responses: {
            /** @description Send readings of simulated sensors through the board, instead of those before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricBoard"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stopFabricTraffic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                board: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send nothing more */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FabricBoard"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNetworkFunctions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Servers of network functions that have registered and said something lately, by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NetworkFunction"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    registerNetworkFunction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NetworkFunctionReport"];
            };
        };
        responses: {
            /** @description A server says what it is; it is forgotten when it does not say so again in time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NetworkFunctionOrder"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeNetworkFunction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeNetworkFunction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NetworkFunctionChange"];
            };
        };
        responses: {
            /** @description Give a server another function, which it takes when it next says something; its windows start anew */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NetworkFunction"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTargets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Clusters that functions can be deployed to by name, beside the usual target of the service */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetRecord"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createTarget: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTarget"];
            };
        };
        responses: {
            /** @description Keep a cluster under a name; 422 with what is missing when nothing can be deployed there */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                target: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedTarget"];
            };
        };
        responses: {
            /** @description Change it; 409 while something is deployed there, 422 as when it is made */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetRecord"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                target: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                target: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ask the cluster whether something can be deployed there now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetCheck"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tryTarget: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetAccess"];
            };
        };
        responses: {
            /** @description Ask a cluster whether something can be deployed there, without keeping anything */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetCheck"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStorePools: {
        parameters: {
            query?: {
                prefix?: components["schemas"]["StorePath"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pools of the store, in and below a path; with an access key those that it reaches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePool"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createStorePool: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStorePool"];
            };
        };
        responses: {
            /** @description Create a pool; 409 when a different one is in its place */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePool"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeStorePool: {
        parameters: {
            query: {
                path: components["schemas"]["StorePath"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStoreObjects: {
        parameters: {
            query: {
                prefix: components["schemas"]["StorePath"];
                version?: number;
                time?: number;
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Objects under a prefix by page, at a version or time, without their bytes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreObjectPage"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStoreObject: {
        parameters: {
            query: {
                key: components["schemas"]["StorePath"];
                version?: number;
                time?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of an object, in its own media type, at a version or time; ETag is the version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putStoreObject: {
        parameters: {
            query: {
                key: components["schemas"]["StorePath"];
                type?: string;
                expectedVersion?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Write an object of any size; 409 when its version is not the expected one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreObject"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeStoreObject: {
        parameters: {
            query: {
                key: components["schemas"]["StorePath"];
                expectedVersion?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Write a version that says removed; earlier versions stay readable */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreObject"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewStoreObject: {
        parameters: {
            query: {
                key: components["schemas"]["StorePath"];
                version?: number;
                time?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object as JSON can show it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePreview"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStoreVersions: {
        parameters: {
            query: {
                key: components["schemas"]["StorePath"];
                afterVersion?: number;
                toVersion?: number;
                fromTime?: number;
                toTime?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kept versions of one key, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreObject"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStoreChanges: {
        parameters: {
            query: {
                prefix: components["schemas"]["StorePath"];
                afterVersion?: number;
                toVersion?: number;
                fromTime?: number;
                toTime?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kept versions of all keys under a prefix, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreObject"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchStore: {
        parameters: {
            query: {
                prefix: components["schemas"]["StorePath"];
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Writes under a prefix as they come; with `after` or the header Last-Event-ID first those after that version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createStoreTopic: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStoreTopic"];
            };
        };
        responses: {
            /** @description Create a topic, which is a pool below /cms/topics; 409 when a different one is in its place */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePool"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    subscribeToStoreTopics: {
        parameters: {
            query: {
                path: components["schemas"]["StorePath"];
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Messages of the topics in and below a path as they come; with `after` or the header Last-Event-ID first those after that event, with an empty `after` from the beginning */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publishToStoreTopic: {
        parameters: {
            query: {
                topic: components["schemas"]["StorePath"];
                type?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Publish a message; its version is its offset */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreObject"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAccessKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Access keys of the store, without their secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"][];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAccessKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAccessKey"];
            };
        };
        responses: {
            /** @description Make an access key; the answer has its secret, which is told this once. 409 when the name is taken */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKeyWithSecret"];
                };
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeAccessKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and in which fields. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
